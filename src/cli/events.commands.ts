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

@SubCommand({ name: 'list', description: 'consumers of document events, what they have not handled, dead letters' })
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
  argsDescription: { consumer: 'the consumer, as "events list" shows it' },
};

@SubCommand({ name: 'retry', ...CONSUMER_ARGUMENT, description: "deliver a consumer's dead letters again" })
export class EventsRetryCommand extends OperatorCommand {
  protected readonly options = [{ flag: '--document', value: 'id', description: 'those of one document alone' }];

  protected async execute(
    given: Readonly<Record<string, string | undefined>>,
    [consumer]: readonly string[],
  ): Promise<Report> {
    const documentId = given.document === undefined ? null : parseUuid('--document', given.document, 'events list');
    const retried = await this.dataSource.transaction((tx) =>
      retryDeadLetters(tx, { consumer, documentId }, COMMAND_ACTOR),
    );
    return { json: { retried }, text: `${retried.length} dead letters are delivered again.` };
  }
}

const CONFIRM = { flag: '--confirm', description: 'delete its deliveries; without it the command says how many' };

@SubCommand({ name: 'forget', ...CONSUMER_ARGUMENT, description: 'end the deliveries of a consumer that is gone' })
export class EventsForgetCommand extends OperatorCommand {
  protected readonly options = [];
  protected override readonly switches = [CONFIRM];

  protected async execute(_given: object, [consumer]: readonly string[]): Promise<Report> {
    if (!this.isOn(CONFIRM)) {
      const waiting = await countWaiting(this.dataSource.manager, consumer);
      throw new OperatorError(`${consumer} has not handled ${waiting} events, which would be lost: add --confirm`);
    }
    const deleted = await forgetConsumer(this.dataSource, consumer, COMMAND_ACTOR);
    return {
      json: { consumer, deleted },
      text: `${consumer} is forgotten with ${deleted} events. A dispatcher that has it registers it at its next start.`,
    };
  }
}

@Command({
  name: 'events',
  description: 'what consumers of document events have not handled: list, retry, forget',
  subCommands: [EventsListCommand, EventsRetryCommand, EventsForgetCommand],
})
export class EventsCommands extends CommandGroup {}
