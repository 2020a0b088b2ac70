import { Inject } from '@nestjs/common';
import { Command, SubCommand } from 'nest-commander';
import { DataSource } from 'typeorm';
import { type DoubtReport, type LaneReport, type PaceReport, readQueue } from '../queue-operations/queue-report.js';
import { CommandGroup, OperatorCommand } from './operator-command.js';
import { type Column, type Report, REPORT_PRINTER, type ReportPrinter, table } from './output.js';
import { QueueConflictCommand } from './queue-conflict.command.js';
import { QueueReleaseCommand } from './queue-release.command.js';
import { QueueRetryCommand } from './queue-retry.command.js';

const LANE_COLUMNS: readonly Column<LaneReport>[] = [
  ['environment', (lane) => lane.environment],
  ['tenant', (lane) => lane.tenantId],
  ['name', (lane) => lane.tenantName],
  ['operation', (lane) => lane.operation],
  ['waiting', (lane) => lane.waiting],
  ['held', (lane) => lane.held],
  ['processing', (lane) => lane.processing],
  ['in doubt', (lane) => lane.inDoubt],
  ['oldest', (lane) => lane.oldestAt],
  ['blocked until', (lane) => lane.blockedUntil],
  ['why', (lane) => lane.blockedReason],
];

const NUMBERS_SHOWN = 3;

const DOUBT_COLUMNS: readonly Column<DoubtReport>[] = [
  ['environment', (doubt) => doubt.environment],
  ['tenant', (doubt) => doubt.tenantId],
  ['submission', (doubt) => doubt.submissionId],
  ['sent', (doubt) => doubt.sentAt],
  ['sends', (doubt) => doubt.sends],
  ['documents', (doubt) => doubt.referenceIds.length],
  ['numbers', ({ referenceIds }) => shortened(referenceIds)],
  ['next look', (doubt) => doubt.nextLookAt ?? 'none: "queue release" decides'],
];

function shortened(referenceIds: readonly string[]): string {
  const shown = referenceIds.slice(0, NUMBERS_SHOWN).join(', ');
  return referenceIds.length > NUMBERS_SHOWN ? `${shown}, …` : shown;
}

const PACE_COLUMNS: readonly Column<PaceReport>[] = [
  ['environment', (pace) => pace.environment],
  ['API', (pace) => pace.api],
  ['client', (pace) => pace.clientId],
  ['next call', (pace) => pace.nextAt],
  ['blocked until', (pace) => pace.blockedUntil],
  ['why', (pace) => pace.blockedReason],
  ['failures', (pace) => pace.failures],
];

@SubCommand({ name: 'show', description: 'what waits for the authority, and what holds it up' })
export class QueueShowCommand extends OperatorCommand {
  protected readonly options = [];

  constructor(
    @Inject(REPORT_PRINTER) printer: ReportPrinter,
    private readonly dataSource: DataSource,
  ) {
    super(printer);
  }

  protected async execute(): Promise<Report> {
    const { lanes, doubts, paces } = await readQueue(this.dataSource.manager);
    const tables = [
      table(lanes, LANE_COLUMNS, 'Nothing waits.'),
      table(doubts, DOUBT_COLUMNS, 'Nothing is in doubt.'),
      table(paces, PACE_COLUMNS, 'The authority was not called yet.'),
    ];
    return { json: { lanes, doubts, paces }, text: tables.join('\n\n') };
  }
}

@Command({
  name: 'queue',
  description: 'the work for the authority: show, release, retry, conflict',
  subCommands: [QueueShowCommand, QueueReleaseCommand, QueueRetryCommand, QueueConflictCommand],
})
export class QueueCommands extends CommandGroup {}
