import { Command, SubCommand } from 'nest-commander';
import { COMMAND_ACTOR } from '../accounts/audit.js';
import {
  type ConsumerReport,
  countWaiting,
  type DeadLetterReport,
  forgetConsumer,
  readEvents,
  retryDeadLetters,
} from '../document-events/event-operations.js';
import { OperatorError } from '../errors/operator-error.js';
import { CommandGroup, OperatorCommand, parseUuid } from './operator-command.js';
import { type Column, type Report, formatTable } from './output.js';

const CONSUMER_COLUMNS: readonly Column<ConsumerReport>[] = [
  ['consumer', (report) => report.consumer],
  ['registered', (report) => report.registeredAt],
  ['last seen', (report) => report.seenAt],
  ['waiting', (report) => report.waiting],
  ['oldest', (report) => report.oldestAt],
  ['dead letters', (report) => report.deadLetters],
];

const DEAD_LETTER_COLUMNS: readonly Column<DeadLetterReport>[] = [
  ['consumer', (letter) => letter.consumer],
  ['environment', (letter) => letter.environment],
  ['tenant', (letter) => letter.tenantId],
  ['type', (letter) => letter.documentType],
  ['number', (letter) => letter.referenceId],
  ['document', (letter) => letter.documentId],
  ['event', (letter) => letter.eventId],
  ['failures', (letter) => letter.attempts],
  ['since', (letter) => letter.deadAt],
  ['error', (letter) => letter.error],
];

@SubCommand({
  name: 'list',
  description: 'list consumers of document events with their waiting events and dead letters',
})
export class EventsListCommand extends OperatorCommand {
  protected readonly options = [];

  protected async execute(): Promise<Report> {
    const { consumers, deadLetters } = await readEvents(this.dataSource.manager);
    const tables = [
      formatTable(consumers, CONSUMER_COLUMNS, 'No consumer is registered.'),
      formatTable(deadLetters, DEAD_LETTER_COLUMNS, 'There are no dead letters.'),
    ];
    return { json: { consumers, deadLetters }, text: tables.join('\n\n') };
  }
}

const CONSUMER_ARGUMENT = {
  arguments: '<consumer>',
  argsDescription: { consumer: 'the consumer, as shown by "events list"' },
};

@SubCommand({ name: 'retry', ...CONSUMER_ARGUMENT, description: "redeliver a consumer's dead letters" })
export class EventsRetryCommand extends OperatorCommand {
  protected readonly options = [{ flag: '--document', value: 'id', description: 'only those of one document' }];

  protected async execute(
    given: Readonly<Record<string, string | undefined>>,
    [consumer]: readonly string[],
  ): Promise<Report> {
    const documentId = given.document === undefined ? null : parseUuid('--document', given.document, 'events list');
    const retried = await this.dataSource.transaction((tx) =>
      retryDeadLetters(tx, { consumer, documentId }, COMMAND_ACTOR),
    );
    return { json: { retried }, text: `${retried.length} dead letters will be redelivered.` };
  }
}

const CONFIRM = {
  flag: '--confirm',
  description: 'delete its deliveries; without this option, the command only reports how many',
};

@SubCommand({ name: 'forget', ...CONSUMER_ARGUMENT, description: 'end the deliveries to a removed consumer' })
export class EventsForgetCommand extends OperatorCommand {
  protected readonly options = [];
  protected override readonly switches = [CONFIRM];

  protected async execute(_given: object, [consumer]: readonly string[]): Promise<Report> {
    if (!this.isOn(CONFIRM)) {
      const waiting = await countWaiting(this.dataSource.manager, consumer);
      throw new OperatorError(
        `${consumer} has not handled ${waiting} events, which would be lost: add --confirm to delete them`,
      );
    }
    const deleted = await forgetConsumer(this.dataSource, consumer, COMMAND_ACTOR);
    return {
      json: { consumer, deleted },
      text: `${consumer} and ${deleted} events were deleted. A dispatcher that still has this consumer registers it again when it starts.`,
    };
  }
}

@Command({
  name: 'events',
  description: 'consumers of document events: list, retry, forget',
  subCommands: [EventsListCommand, EventsRetryCommand, EventsForgetCommand],
})
export class EventsCommands extends CommandGroup {}
