import { randomUUID } from 'node:crypto';
import type { Boundary } from '../../src/common/failpoints/boundaries.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import { CLIENT_ID } from '../support/processes.js';
import { buildCancel, type ClientRequest, buildSubmit } from './client.js';
import { invoiceWithNote, type Play } from './play.js';

/** Scenario in which a dispatcher reaches a failpoint. */
export interface DispatcherScenario {
  readonly process: 'dispatcher';
  readonly settings?: Record<string, string>;
  /** Runs before the process starts. */
  arrange(play: Play): Promise<void>;
  /** Runs while the process runs. */
  act?(play: Play): Promise<void>;
  /** Once the failpoint was reached. */
  recover?(play: Play): Promise<void>;
  /** Additional checks at the end. */
  finally?(play: Play): Promise<void>;
  /** Starts another process even in mode `throw`, because the next turn of this process is too late. */
  readonly needsSuccessor?: boolean;
}

/** Scenario in which an API process fails during a client call. */
export interface ApiScenario {
  readonly process: 'api';
  /** Runs before the call and returns the call. */
  arrange(play: Play): Promise<ClientRequest>;
  /** Status of the final response. */
  readonly status: number;
  /** Whether the final response is a replay, by the side of the failed boundary. Null accepts both. */
  isReplayed(side: 'before' | 'after'): boolean | null;
  readonly settings?: Record<string, string>;
  /** The failure is outside the call, so that the failing process may respond to it. */
  readonly runsAlongside?: boolean;
  /** Runs after the failing process has started. */
  act?(play: Play): Promise<void>;
  /** Once the failpoint was reached. */
  recover?(play: Play): Promise<void>;
}

export type Scenario = DispatcherScenario | ApiScenario;

function dispatcher(scenario: Omit<DispatcherScenario, 'process'>): DispatcherScenario {
  return { process: 'dispatcher', ...scenario };
}

function api(scenario: Omit<ApiScenario, 'process'>): ApiScenario {
  return { process: 'api', ...scenario };
}

const never = (): boolean => false;
const always = (): boolean => true;
const afterwards = (side: 'before' | 'after'): boolean => side === 'after';

/** Builds a scenario of documents that become valid despite faults of the authority. */
function sending(...faults: readonly { api: string; fault: string; times?: number }[]): DispatcherScenario {
  return dispatcher({
    arrange: async (play) => {
      await play.submit([...invoiceWithNote(), invoice()]);
      const rules = faults.map(({ api: name, fault, times }) => ({ when: { api: name }, fault, times }));
      if (rules.length > 0) await play.stage.control('faults', rules);
    },
  });
}

const SENDING = sending();
const LOST_RESPONSE = sending({ api: 'submit', fault: 'drop-after' });

// No search finds the first send, and the resend is rejected as a duplicate. The service compares the document that the
// authority reports before it adopts the document.
const DUPLICATE = dispatcher({
  arrange: async (play) => {
    await play.stage.control('settings', { searchLagMs: 100 * 3_600_000 });
    const faults = ['drop-after', 'rejected-as-duplicate'];
    await play.stage.control(
      'faults',
      faults.map((fault) => ({ when: { api: 'submit' }, fault, times: 1 })),
    );
    await play.submit([invoice()]);
  },
});

const CANCELLING = dispatcher({
  arrange: () => Promise.resolve(),
  act: async (play) => {
    const call = await play.buildCancelFor(await play.issue());
    await play.send(call);
  },
});

const INVALID = dispatcher({
  arrange: async (play) => {
    await play.submit([invoice({ referenceId: reference('SIM-INVALID-CV302') })], 'Invalid');
  },
});

// The note has waited for longer than seven days. The first tick ends the wait.
const HOLDING = dispatcher({
  arrange: async (play) => {
    const referenceId = reference('SIM-INVALID-CV302');
    const note = creditNote({ referenceId });
    await play.submit([invoice({ referenceId }), note], 'Invalid');
    play.expected.set(String(note.referenceId), 'SubmitFailed');
    await play.stage.advance(8 * 24 * 3_600);
  },
});

// The next submit is a probe because of earlier failures.
const PROBING = dispatcher({
  arrange: async (play) => {
    await play.submit([...invoiceWithNote(), invoice()]);
    await play.stage.owner.query(
      `INSERT INTO call_budget (client_id, environment, api, next_at, failures, blocked_until, blocked_since, blocked_reason)
       VALUES ($1, 'sandbox', 'submit', service_now(), 5, service_now(), service_now(), 'authority_unavailable')
       ON CONFLICT (client_id, environment, api) DO UPDATE
          SET failures = excluded.failures, blocked_until = excluded.blocked_until,
              blocked_since = excluded.blocked_since, blocked_reason = excluded.blocked_reason`,
      [CLIENT_ID],
    );
  },
});

// The authority rejects the client secret until the failpoint is reached. Probes then detect that it works again.
const REFUSED = dispatcher({
  arrange: async (play) => {
    await play.submit([invoice()]);
    await play.stage.control('settings', { clientSecret: 'another secret' });
  },
  recover: (play) => play.stage.control('settings', { clientSecret: null }).then(() => undefined),
});

const TIN = 'C1234567890';

// A running bulk job cancels a document. The other API is suspended until the failing process has reached
// its failpoint.
const BULK = api({
  arrange: async (play) => {
    const { body } = await play.buildCancelFor(await play.issue());
    const { documentId, cancellationReason } = JSON.parse(body ?? '') as Record<string, string>;
    play.stage.api.kill('SIGSTOP');
    await play.stage.owner.query(INSERT_BULK_JOB, [play.tenant.tenantId, documentId, cancellationReason]);
    return play.acknowledged[0].call;
  },
  status: 200,
  isReplayed: always,
  runsAlongside: true,
  act: async ({ stage }) => {
    await stage.owner.query('UPDATE bulk_job SET due_at = service_now()');
  },
  recover: async (play) => {
    const { stage } = play;
    stage.api.kill('SIGCONT');
    await stage.until('the job has ended', async () => {
      const { rowCount } = await stage.owner.query(`SELECT FROM bulk_job WHERE status = 'ended'`);
      return rowCount === 1;
    });
    const { rows } = await stage.owner.query<BulkItem>(
      `SELECT job_id || '-' || transaction_id AS key, document_id AS id, state FROM bulk_job_item`,
    );
    const [{ key, id, state }] = rows;
    if (state !== 'done') throw new Error(`The document of the job is ${state}`);
    // Replays the job's call, which must have been accepted and charged once.
    await play.send(buildCancel(id, `bulk-job-${key}`));
  },
});

interface BulkItem {
  readonly key: string;
  readonly id: string;
  readonly state: string;
}

const INSERT_BULK_JOB = `
  WITH person AS (
    INSERT INTO user_account (id, email, name, password_hash, created_at)
    VALUES (gen_random_uuid(), 'bulk@kedai.example', 'Aisyah', '', service_now()) RETURNING id),
  member AS (
    INSERT INTO membership (tenant_id, user_id, role, created_at) SELECT $1, id, 'member', service_now() FROM person),
  job AS (
    INSERT INTO bulk_job (tenant_id, id, environment, kind, value, is_cut, status, user_id, created_at, due_at)
    SELECT $1, gen_random_uuid(), 'sandbox', 'cancel', $3, false, 'running', id, service_now(), 'infinity'
      FROM person RETURNING id)
  INSERT INTO bulk_job_item (tenant_id, job_id, transaction_id, document_id, document_type, reference_id, attempt,
                             state, credits, problems, tries)
  SELECT $1, job.id, d.transaction_id, d.id, d.document_type, d.reference_id, 1, 'ready', 1, '[]', 0
    FROM job, document d WHERE d.tenant_id = $1 AND d.id = $2::uuid`;

const HOUSEKEEPING = dispatcher({
  arrange: async (play) => {
    await play.submit([invoice()]);
    await play.stage.owner.query(
      `INSERT INTO taxpayer_check (tenant_id, environment, tin, id_type, id_value, valid, checked_at, expires_at)
       VALUES ($1, 'sandbox', $2, 'BRN', '201901234567', true, service_now() - interval '2 days',
               service_now() - interval '1 day')`,
      [play.tenant.tenantId, TIN],
    );
  },
  // The failed turn counts, so that the next turn comes after the interval.
  recover: (play) => play.stage.advance(120),
  needsSuccessor: true,
  finally: (play) =>
    play.stage.until('what has expired is deleted', async () => {
      const { rows } = await play.stage.owner.query('SELECT FROM taxpayer_check');
      return rows.length === 0;
    }),
});

const WITHOUT_APPOINTMENT = dispatcher({
  arrange: async (play) => {
    await play.submit([invoice()]);
    await appoint(play, false);
  },
  recover: (play) => appoint(play, true),
});

async function appoint(play: Play, appointed: boolean): Promise<void> {
  const { rows } = await play.stage.owner.query<{ tin: string }>('SELECT tin FROM tenant');
  await play.stage.control('taxpayers', { tin: rows[0].tin, appointed });
}

const SUBMITTING: ApiScenario = api({
  arrange: (play) => {
    const documents = invoiceWithNote();
    for (const { referenceId } of documents) play.expected.set(String(referenceId), 'Valid');
    return Promise.resolve(buildSubmit(documents));
  },
  status: 200,
  isReplayed: afterwards,
});

const CHECKING: ApiScenario = api({
  arrange: () => Promise.resolve(buildTinCheck(TIN)),
  status: 200,
  isReplayed: never,
});

function buildTinCheck(tin: string): ClientRequest {
  const path = `/v1/einvoice/validate-taxpayer-tin/${tin}?idType=BRN&idValue=201901234567`;
  return { method: 'GET', path, key: randomUUID() };
}

/** Scenario of each boundary. The type requires a scenario for every boundary. */
export const SCENARIOS: Readonly<Record<Boundary, Scenario>> = {
  'key.touch': { ...SUBMITTING, isReplayed: () => null, runsAlongside: true },
  // The limit is so low that the first submit is already reported.
  'limit.report': {
    ...SUBMITTING,
    isReplayed: () => null,
    runsAlongside: true,
    settings: { RATE_LIMIT_SUBMITS_PER_MINUTE: '40' },
  },
  'accept.submit': SUBMITTING,
  'accept.cancel': api({
    arrange: async (play) => play.buildCancelFor(await play.issue()),
    status: 202,
    isReplayed: afterwards,
  }),
  // A used key is detected even if the body is invalid.
  'accept.read': api({
    arrange: async (play) => {
      const { key } = await play.submit([invoice()]);
      return buildSubmit([], key);
    },
    status: 409,
    isReplayed: never,
  }),
  'accept.replay': api({ arrange: (play) => play.submit([invoice()]), status: 200, isReplayed: always }),
  'accept.dry_run': api({
    arrange: () => {
      const call = buildSubmit([invoice()]);
      return Promise.resolve({ ...call, path: `${call.path}?dryRun=true` });
    },
    status: 200,
    isReplayed: never,
  }),
  // TIN of the general public.
  'taxpayer.clock': { ...CHECKING, arrange: () => Promise.resolve(buildTinCheck('EI00000000010')) },
  'taxpayer.prepare': CHECKING,
  'taxpayer.store': CHECKING,
  'call.validateTin': CHECKING,
  'dispatch.claim': SENDING,
  'dispatch.settle': SENDING,
  'probe.claim': PROBING,
  'credentials.settle': REFUSED,
  'poll.claim': SENDING,
  'poll.settle': SENDING,
  'hold.decide': HOLDING,
  'cancel.claim': CANCELLING,
  'cancel.settle': CANCELLING,
  'reconcile.expire': LOST_RESPONSE,
  'reconcile.claim': LOST_RESPONSE,
  'reconcile.keep': LOST_RESPONSE,
  'reconcile.put_off': sending({ api: 'submit', fault: 'drop-after' }, { api: 'search', fault: 'http-503' }),
  'reconcile.decide': LOST_RESPONSE,
  // The authority rejects the call before it reads the documents, but its response does not state this.
  'reconcile.claim_resend': sending({ api: 'submit', fault: 'http-500-before' }),
  'recover.recognise': SENDING,
  'consumers.note': SENDING,
  'report.note': SENDING,
  'deliver.claim': SENDING,
  'deliver.handle': SENDING,
  'deliver.commit': SENDING,
  'deliver.fail': { ...SENDING, settings: { RECORDER_FAILURES: '1' } },
  // The acceptance events are retried for 14 seconds, while later events of the documents arrive.
  'deliver.put_off': { ...SENDING, settings: { RECORDER_FAILURES: '3' } },
  'housekeeping.limit_waits': HOUSEKEEPING,
  'housekeeping.turn': HOUSEKEEPING,
  'housekeeping.delete': HOUSEKEEPING,
  'housekeeping.mark_unconfigured': HOUSEKEEPING,
  'bulk.settle': BULK,
  'bulk.release': BULK,
  // Calls are reserved only if there are limits.
  'budget.reserve': { ...SENDING, settings: { AUTHORITY_SANDBOX_RATE_FACTOR: '10' } },
  'budget.share': { ...CHECKING, settings: { AUTHORITY_SANDBOX_RATE_FACTOR: '10' } },
  'budget.block': sending({ api: 'getSubmission', fault: '429-seconds' }),
  'budget.fail': sending({ api: 'getSubmission', fault: 'http-503' }),
  'budget.end_probing': PROBING,
  'budget.reserve_probe': REFUSED,
  'budget.end_refusal': SENDING,
  'budget.clear': sending({ api: 'getSubmission', fault: 'http-503' }),
  'clock.measure': SENDING,
  'token.read': SENDING,
  'token.claim': SENDING,
  'token.store': SENDING,
  'token.release': sending({ api: 'token', fault: 'http-503' }),
  'token.hold': WITHOUT_APPOINTMENT,
  'token.drop': sending({ api: 'getSubmission', fault: '401' }),
  'call.login': SENDING,
  'call.submit': SENDING,
  'call.getSubmission': SENDING,
  'call.details': INVALID,
  'call.raw': DUPLICATE,
  'call.cancel': CANCELLING,
  'call.search': LOST_RESPONSE,
};
