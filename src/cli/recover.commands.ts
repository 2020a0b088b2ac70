import { Inject } from '@nestjs/common';
import { Command, SubCommand } from 'nest-commander';
import { validate as isUuid } from 'uuid';
import { COMMAND_ACTOR } from '../accounts/audit.js';
import { normaliseUuid } from '../documents/parent-uuid.js';
import { parseTimestamptz } from '../http/validation/instant.js';
import { RecoveryService, type ReportedDocument, type TenantSearch } from '../recovery/recovery.service.js';
import type { TenantProgress } from '../recovery/recovery.sql.js';
import { OperatorError } from '../errors/operator-error.js';
import { CommandGroup, OperatorCommand, parseUuid } from './operator-command.js';
import { type Column, type Report, formatTable } from './output.js';

type Given = Readonly<Record<string, string | undefined>>;

abstract class RecoverCommand extends OperatorCommand {
  @Inject(RecoveryService) protected readonly recoveries: RecoveryService;
}

const SINCE_OPTION = {
  flag: '--since',
  value: 'timestamp',
  description: 'restored point in time, such as 2026-01-31T09:30:00Z; default: the last run of a dispatcher',
};

@SubCommand({ name: 'begin', description: 'make every tenant wait, after a restore to an earlier time' })
export class RecoverBeginCommand extends RecoverCommand {
  protected readonly options = [SINCE_OPTION];

  protected async execute({ since }: Given): Promise<Report> {
    const recovery = await this.recoveries.begin(since === undefined ? null : parseSince(since), COMMAND_ACTOR);
    return {
      json: { recovery },
      text: `Every tenant waits. "recover search" searches for documents sent since ${recovery.since.toISOString()}.`,
    };
  }
}

function parseSince(text: string): Date {
  const since = parseTimestamptz(text);
  if (since !== null) return since;
  const examples = '2026-01-31T09:30:00Z or "2026-01-31 09:30:00+00"';
  throw new OperatorError(
    `--since must be a valid timestamp with its offset from UTC, such as ${examples}, not "${text}"`,
  );
}

function parseTenants(words: readonly string[]): string[] {
  return words.map((word) => parseUuid('TENANT', word));
}

const SEARCH_COLUMNS: readonly Column<TenantSearch>[] = [
  ['tenant', ({ tenantId }) => tenantId],
  ['received', ({ received }) => received],
  ['problem', ({ problem }) => problem],
];

@SubCommand({
  name: 'search',
  arguments: '[tenants...]',
  argsDescription: { tenants: 'the tenants, as shown by "tenant list"; default: all' },
  description: 'search the authority for documents sent since then, and adopt those of known attempts',
})
export class RecoverSearchCommand extends RecoverCommand {
  protected readonly options = [];

  protected async execute(_given: Given, words: readonly string[]): Promise<Report> {
    const searches = await this.recoveries.search(parseTenants(words.flat()));
    const failed = searches.filter(({ problem }) => problem !== null);
    return {
      json: { searches },
      text: formatTable(searches, SEARCH_COLUMNS, 'There are no tenants.'),
      ...(failed.length > 0 ? { failure: `${failed.length} tenants could not be searched: search them again` } : {}),
    };
  }
}

const TENANT_COLUMNS: readonly Column<TenantProgress>[] = [
  ['tenant', ({ tenantId }) => tenantId],
  ['name', ({ name }) => name],
  ['searched', ({ searchedAt }) => searchedAt],
  ['released', ({ releasedAt }) => releasedAt],
  ['missing', ({ missing }) => missing],
  ['disputed', ({ disputed }) => disputed],
  ['adopted', ({ adopted }) => adopted],
];

const DOCUMENT_COLUMNS: readonly Column<ReportedDocument>[] = [
  ['tenant', ({ tenantId }) => tenantId],
  ['environment', ({ environment }) => environment],
  ['type', ({ documentType }) => documentType],
  ['number', ({ referenceId }) => referenceId],
  ['uuid', ({ authorityUuid }) => authorityUuid],
  ['status', ({ authorityStatus }) => authorityStatus],
  ['received', ({ receivedAt }) => receivedAt],
  ['state', ({ state }) => state],
];

@SubCommand({
  name: 'report',
  description: 'show the progress of the recovery and the documents that only the authority has',
})
export class RecoverReportCommand extends RecoverCommand {
  protected readonly options = [{ flag: '--tenant', value: 'id', description: 'only this tenant' }];

  protected async execute({ tenant }: Given): Promise<Report> {
    const report = await this.recoveries.report(tenant === undefined ? null : parseUuid('--tenant', tenant));
    const { recovery, tenants, documents } = report;
    const { since, endedAt } = recovery;
    const ended = endedAt === null ? 'open' : `ended ${endedAt.toISOString()}`;
    // Tenants created after its end need no search.
    const unsearched = endedAt === null ? tenants.filter(({ searchedAt }) => searchedAt === null).length : 0;
    const isWhole = unsearched === 0;
    const nothing = isWhole
      ? 'The authority has no documents that are missing here.'
      : 'No missing documents were found so far.';
    const open = `${unsearched} tenants are not searched yet: run "recover search".`;
    const tables = [
      `Recovery from ${since.toISOString()}: ${ended}`,
      formatTable(tenants, TENANT_COLUMNS, 'There are no tenants.'),
      formatTable(documents, DOCUMENT_COLUMNS, nothing),
      ...(isWhole ? [] : [open]),
    ];
    return { json: report, text: tables.join('\n\n') };
  }
}

const UUID_ARGUMENT = {
  arguments: '<uuid>',
  argsDescription: { uuid: 'the authority\'s uuid, as shown by "recover report"' },
};

@SubCommand({ name: 'adopt', ...UUID_ARGUMENT, description: 'assign a found document to an attempt' })
export class RecoverAdoptCommand extends RecoverCommand {
  protected readonly options = [
    { flag: '--transaction', value: 'id', description: 'transactionId of the attempt', isRequired: true },
  ];

  protected async execute({ transaction }: Given, [written]: readonly string[]): Promise<Report> {
    const uuid = normaliseUuid(written);
    if (transaction === undefined || !isUuid(transaction)) {
      throw new OperatorError('--transaction must be a transactionId from the status of a batch');
    }
    const transactionId = transaction.toLowerCase();
    await this.recoveries.adopt(uuid, transactionId, COMMAND_ACTOR);
    return {
      json: { authorityUuid: uuid, transactionId },
      text: `${transactionId} is adopted as ${uuid}; the service now polls its status.`,
    };
  }
}

@SubCommand({
  name: 'dismiss',
  ...UUID_ARGUMENT,
  description: 'decide that a found document belongs to no attempt of this service',
})
export class RecoverDismissCommand extends RecoverCommand {
  protected readonly options = [];

  protected async execute(_given: Given, [written]: readonly string[]): Promise<Report> {
    const uuid = normaliseUuid(written);
    await this.recoveries.dismiss(uuid, COMMAND_ACTOR);
    return {
      json: { authorityUuid: uuid },
      text: `${uuid} was not submitted by this service; its number may be sent.`,
    };
  }
}

const UNSEARCHED = {
  flag: '--unsearched',
  description: 'release tenants that cannot be searched: their waiting documents are sent',
};

@SubCommand({
  name: 'release',
  arguments: '<tenants...>',
  argsDescription: { tenants: 'the tenants, as shown by "tenant list"' },
  description: 'let the dispatchers process tenants again',
})
export class RecoverReleaseCommand extends RecoverCommand {
  protected readonly options = [];
  protected override readonly switches = [UNSEARCHED];

  protected async execute(_given: Given, words: readonly string[]): Promise<Report> {
    const released = parseTenants(words.flat());
    for (const tenantId of released) {
      await this.recoveries.release(tenantId, { isUnsearched: this.isOn(UNSEARCHED), actor: COMMAND_ACTOR });
    }
    return { json: { released }, text: `Released: ${released.join(', ')}.` };
  }
}

@Command({
  name: 'recover',
  description: 'a restore to an earlier time: begin, search, report, adopt, dismiss, release',
  subCommands: [
    RecoverBeginCommand,
    RecoverSearchCommand,
    RecoverReportCommand,
    RecoverAdoptCommand,
    RecoverDismissCommand,
    RecoverReleaseCommand,
  ],
})
export class RecoverCommands extends CommandGroup {}
