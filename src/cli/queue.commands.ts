import { Inject } from '@nestjs/common';
import { Command, SubCommand } from 'nest-commander';
import { validate as isUuid } from 'uuid';
import { COMMAND_ACTOR } from '../accounts/audit.js';
import { type TenantQueueReport, type CallBudgetReport, readQueue } from '../dispatcher/operations/queue-report.js';
import { retryTenantQueues } from '../dispatcher/operations/retry-tenant-queues.js';
import { type OverdueCalls, readOverdueCalls } from '../dispatcher/queue/overdue-calls.js';
import type { CallInDoubt } from '../dispatcher/releases/calls-in-doubt.js';
import { type ReleaseDecision, STATED_OUTCOMES, type StatedOutcome } from '../dispatcher/releases/release-decisions.js';
import type { DocumentOutcome, Release } from '../dispatcher/releases/release-plan.js';
import { SubmissionReleaseService } from '../dispatcher/releases/submission-release.service.js';
import { OperatorError } from '../errors/operator-error.js';
import { readRecoveryWaits } from '../recovery/recovery-waits.js';
import {
  CommandGroup,
  type CommandOption,
  type CommandSwitch,
  OperatorCommand,
  parseUuid,
  TENANT_OPTION,
} from './operator-command.js';
import { type Column, type Report, formatTable } from './output.js';

/** Exactly one option must be given. */
interface ReleaseOptions {
  readonly resend?: true;
  readonly fail?: true;
  readonly adopt?: readonly string[];
  readonly outcome?: readonly string[];
}

const EFFECTS: Readonly<Record<ReleaseDecision, string>> = {
  resend: 'queued again',
  adopt: 'adopted; the service now polls their status',
  outcome: 'decided as stated',
  fail: 'failed',
};

@SubCommand({
  name: 'release',
  arguments: '<submission>',
  argsDescription: { submission: 'the submission; "queue show" lists it with the possible decisions' },
  description: 'decide a submission that is still in doubt, or that no dispatcher works on',
})
class QueueReleaseCommand extends OperatorCommand {
  @Inject(SubmissionReleaseService) private readonly releases: SubmissionReleaseService;
  protected readonly options: readonly CommandOption[] = [
    {
      flag: '--adopt',
      value: 'uuid...',
      description: "the authority's uuid of each document, in order, or REFERENCE=UUID for some",
    },
    {
      flag: '--outcome',
      value: 'number...',
      description: `the portal's status of documents that no dispatcher works on: NUMBER=${STATED_OUTCOMES.join('|')}[:UUID]`,
    },
  ];
  protected override readonly switches: readonly CommandSwitch[] = [
    { flag: '--resend', description: 'the authority has none of its documents: send them again' },
    { flag: '--fail', description: 'mark its documents as SubmitFailed' },
  ];

  protected async execute(_given: object, [submissionId]: readonly string[]): Promise<Report> {
    if (!isUuid(submissionId)) throw new OperatorError('SUBMISSION must be an id shown by "queue show"');
    const released = await this.decide(submissionId.toLowerCase(), this.command.opts<ReleaseOptions>());
    const { decision, documents, stillInDoubt } = released;
    const numbers = documents
      .map(({ referenceId, unclear }) => referenceId + (unclear === null ? '' : ` (${unclear})`))
      .join(', ');
    const rest =
      stillInDoubt === null ? '' : ` The remaining documents are still in doubt, as submission ${stillInDoubt}.`;
    return { json: released, text: `${documents.length} documents ${EFFECTS[decision]}: ${numbers}.${rest}` };
  }

  private decide(submissionId: string, { resend, fail, adopt, outcome }: ReleaseOptions): Promise<Release> {
    const given = [resend, fail, adopt, outcome].filter((each) => each !== undefined);
    if (given.length !== 1) {
      throw new OperatorError('Give exactly one of --resend, --adopt UUID…, --outcome NUMBER=STATUS… and --fail');
    }
    if (outcome !== undefined) return this.releases.outcome(submissionId, outcome.map(parseOutcome), COMMAND_ACTOR);
    if (adopt !== undefined) return this.releases.adopt(submissionId, adopt, COMMAND_ACTOR);
    return resend === true
      ? this.releases.resend(submissionId, COMMAND_ACTOR)
      : this.releases.fail(submissionId, COMMAND_ACTOR);
  }
}

const OUTCOME = new RegExp(`^(?<referenceId>.+)=(?<status>${STATED_OUTCOMES.join('|')})(?::(?<uuid>[^:=]+))?$`, 's');

function parseOutcome(text: string): DocumentOutcome {
  const { referenceId, status, uuid } = OUTCOME.exec(text)?.groups ?? {};
  if (referenceId === undefined) {
    const [example] = STATED_OUTCOMES;
    throw new OperatorError(
      `--outcome must be NUMBER=STATUS or NUMBER=STATUS:UUID with ${STATED_OUTCOMES.join(', ')} as the status, such as ` +
        `INV-1=${example}, not "${text}"`,
    );
  }
  return { referenceId, status: status as StatedOutcome, authorityUuid: uuid ?? null };
}

const TENANT_QUEUE_COLUMNS: readonly Column<TenantQueueReport>[] = [
  ['environment', (tenantQueue) => tenantQueue.environment],
  ['tenant', (tenantQueue) => tenantQueue.tenantId],
  ['name', (tenantQueue) => tenantQueue.tenantName],
  ['operation', (tenantQueue) => tenantQueue.operation],
  ['waiting', (tenantQueue) => tenantQueue.waiting],
  ['held', (tenantQueue) => tenantQueue.held],
  ['processing', (tenantQueue) => tenantQueue.processing],
  ['in doubt', (tenantQueue) => tenantQueue.inDoubt],
  ['at authority', (tenantQueue) => tenantQueue.atAuthority],
  ['late', (tenantQueue) => tenantQueue.late],
  ['oldest', (tenantQueue) => tenantQueue.oldestAt],
  ['waits until', (tenantQueue) => tenantQueue.waitingUntil],
  ['why', (tenantQueue) => tenantQueue.waitingCode],
];

const NUMBERS_SHOWN = 3;

const DOUBT_COLUMNS: readonly Column<CallInDoubt>[] = [
  ['environment', (doubt) => doubt.environment],
  ['tenant', (doubt) => doubt.tenantId],
  ['submission', (doubt) => doubt.submissionId],
  ['sent', (doubt) => doubt.sentAt],
  ['sends', (doubt) => doubt.sends],
  ['documents', (doubt) => doubt.referenceIds.length],
  ['numbers', ({ referenceIds }) => shorten(referenceIds)],
  ['why', (doubt) => doubt.reason],
  ['next lookup', (doubt) => doubt.nextLookAt ?? 'none: "queue release" decides'],
  ['decisions', ({ decisions }) => decisions.map((decision) => `--${decision}`).join(' ')],
];

/** Checks that the operator must make before each decision. */
const DECISION_CHECKS: Readonly<Record<ReleaseDecision, string>> = {
  resend: 'the portal has none of the documents. The service sends them again.',
  adopt: 'the portal has the documents under these uuids. The service polls the status of each.',
  outcome:
    'no dispatcher with the client id of the call can be started any more. State what the portal shows: valid, ' +
    'invalid or cancelled.',
  fail: 'the portal has none of the documents as submitted or valid. The organisation can then submit the numbers again.',
};

function describeDecisions(doubts: readonly CallInDoubt[]): string {
  const possible = new Set(doubts.flatMap(({ decisions }) => decisions));
  const lines = Object.entries(DECISION_CHECKS)
    .filter(([decision]) => possible.has(decision as ReleaseDecision))
    .map(([decision, check]) => `  --${decision}: ${check}`);
  return [
    'Before you run "queue release", search for the numbers in the organisation\'s account in the authority\'s portal:',
    ...lines,
  ].join('\n');
}

function shorten(names: readonly string[]): string {
  const shown = names.slice(0, NUMBERS_SHOWN).join(', ');
  return names.length > NUMBERS_SHOWN ? `${shown}, …` : shown;
}

const CALL_BUDGET_COLUMNS: readonly Column<CallBudgetReport>[] = [
  ['environment', (budget) => budget.environment],
  ['API', (budget) => budget.api],
  ['client', (budget) => budget.clientId],
  ['next call', (budget) => budget.nextAt],
  ['blocked until', (budget) => budget.blockedUntil],
  ['why', (budget) => budget.blockedReason],
  ['failures', (budget) => budget.failures],
];

const OVERDUE_COLUMNS: readonly Column<OverdueCalls>[] = [
  ['environment', (calls) => calls.environment],
  ['client', (calls) => calls.clientId],
  ['in doubt', (calls) => calls.inDoubt],
  ['not polled', (calls) => calls.unpolled],
  ['cancellations', (calls) => calls.cancellations],
  ['overdue since', (calls) => calls.since],
  ['submissions in doubt', ({ submissionIds }) => shorten(submissionIds)],
];

const OVERDUE_HEADING =
  'Overdue calls. Only a dispatcher with the client id that made a call works on it: see "Change the client id" in ' +
  'docs/operations.md.';

@SubCommand({ name: 'show', description: 'show the work that waits for the authority, with reasons' })
export class QueueShowCommand extends OperatorCommand {
  protected readonly options = [];

  protected async execute(): Promise<Report> {
    const report = await readQueue(this.dataSource.manager);
    const { tenantQueues, doubts, callBudgets, deadLetters } = report;
    const tables = [
      formatTable(tenantQueues, TENANT_QUEUE_COLUMNS, 'No work is waiting.'),
      formatTable(doubts, DOUBT_COLUMNS, 'No submission is in doubt.'),
      formatTable(
        callBudgets,
        CALL_BUDGET_COLUMNS,
        'No authority calls are counted: none was made, or AUTHORITY_…_RATE_FACTOR is 0.',
      ),
    ];
    if (doubts.some(({ decisions }) => decisions.length > 0)) tables[1] += `\n${describeDecisions(doubts)}`;
    if (deadLetters.length > 0) tables.push(`Some events could not be handled by a consumer: see "events list".`);
    const overdue = await readOverdueCalls(this.dataSource.manager, []);
    if (overdue.length > 0) tables.push(`${OVERDUE_HEADING}\n${formatTable(overdue, OVERDUE_COLUMNS, '')}`);
    const recovery = await readRecoveryWaits(this.dataSource.manager);
    if (recovery.openSince !== null) {
      tables.push(`${recovery.waitingTenants} tenants wait for a recovery after a restore: see "recover report".`);
    }
    if (recovery.searchTenants.length > 0) {
      const search = `recover search ${recovery.searchTenants.join(' ')}`;
      tables.push(`Documents wait because the authority already has their numbers: run "${search}".`);
    }
    return { json: { ...report, overdue, recovery }, text: tables.join('\n\n') };
  }
}

@SubCommand({
  name: 'retry',
  description:
    'send the waiting documents of a tenant immediately, such as after it has appointed the intermediary again',
})
class QueueRetryCommand extends OperatorCommand {
  protected readonly options = [TENANT_OPTION];

  protected async execute(given: Record<string, string | undefined>): Promise<Report> {
    const tenantId = parseUuid('--tenant', given.tenant);
    const tenant = await this.tenants.show(tenantId);
    const retried = await this.dataSource.transaction((tx) => retryTenantQueues(tx, tenant, COMMAND_ACTOR));
    const lines = retried.map(({ environment, reason }) => `${environment}: waited (${reason}), continues now`);
    return {
      json: { retried },
      text: lines.length === 0 ? 'No queue of this tenant was waiting.' : lines.join('\n'),
    };
  }
}

@Command({
  name: 'queue',
  description: 'the work for the authority: show, release, retry',
  subCommands: [QueueShowCommand, QueueReleaseCommand, QueueRetryCommand],
})
export class QueueCommands extends CommandGroup {}
