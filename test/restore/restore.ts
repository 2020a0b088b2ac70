import { until } from '../support/until.js';
import type { Stage, WireDocument } from './stage.js';

const RESTORE_POINT = 'before-the-latest-sends';
const TENANTS = 3;
/** Fractions of the documents: those sent before the restore point, and the states of the others at that time. */
const SENT_BEFORE = 0.6;
const SUBMITTED = 0.05;
const IN_DOUBT = 0.05;
const QUEUED = 0.15;
const UNKNOWN = 0.15;
const CANCELLED = 3;
const RESUBMITTED = 3;
/** Longer than the time from the first send that awaits the restore point to the restore point. */
const SLOW_VALIDATION_MS = 20_000;

/** Counts by name, all of which must be zero. */
export type Counts = Readonly<Record<string, number>>;

export interface RestoreResult {
  readonly counts: Counts;
  /** Counts of the tested situations. A situation that did not occur proves nothing. */
  readonly scenes: Counts;
}

interface AttemptRow {
  readonly number: string;
  readonly uuid: string | null;
  readonly status: string;
}

interface Report {
  readonly documents: readonly { readonly referenceId: string; readonly state: string }[];
  readonly tenants: readonly { readonly adopted: number }[];
}

/** Loses a database, restores it to a point before its latest sends, and runs the recovery of the service. */
export async function runRestore(
  stage: Stage,
  { documents, progress }: { documents: number; progress: (text: string) => void },
): Promise<RestoreResult> {
  const name = (kind: string, share: number): string[] =>
    Array.from({ length: Math.round(documents * share) }, (_, index) => `${kind}-${index + 1}`);
  const numbers = {
    before: name('BEFORE', SENT_BEFORE),
    submitted: name('SUBMITTED', SUBMITTED),
    inDoubt: name('DOUBT', IN_DOUBT),
    queued: name('QUEUED', QUEUED),
    unknown: name('UNKNOWN', UNKNOWN),
    unsent: name('UNSENT', 0.01),
    neverSent: name('NEVER', 0.01),
  };
  await stage.addTenants(TENANTS);
  await stage.startDispatcher();
  await stage.submit(numbers.before.slice(0, 1));
  await stage.backup.takeBase(stage.postgres);
  progress('the base backup is taken');

  await stage.submit(numbers.before.slice(1));
  await untilCount(stage, numbers.before.length, `authority_status = 'Valid'`);
  await stage.control('settings', { validationDelayMs: SLOW_VALIDATION_MS });
  await stage.submit(numbers.submitted);
  await untilCount(stage, numbers.submitted.length, `authority_status = 'Submitted'`);
  await stage.control('faults', [{ when: { api: 'submit' }, fault: 'drop-after', times: TENANTS }]);
  await stage.submit(numbers.inDoubt);
  await untilCount(stage, 1, `submission_status = 'Processing'`);
  await stage.stopDispatcher('SIGKILL');
  await stage.submit(numbers.queued);
  await stage.submit(numbers.unsent);
  const cancelled = await stage.query<{ tenantId: string; documentId: string }>(
    `SELECT tenant_id AS "tenantId", document_id AS "documentId" FROM document_transaction
      WHERE authority_status = 'Valid' ORDER BY id LIMIT ${CANCELLED}`,
  );
  for (const { tenantId, documentId } of cancelled) await stage.cancel(tenantId, documentId);
  const atPoint = {
    submitted: await count(stage, `authority_status = 'Submitted'`),
    inDoubt: await count(stage, `submission_status = 'Processing'`),
    queued: await count(stage, `submission_status = 'Queued'`),
  };
  await stage.backup.markRestorePoint(stage.postgres, RESTORE_POINT);
  const sentBefore = (await stage.wireLog()).length;
  progress(`the restore point: ${JSON.stringify(atPoint)}`);

  // Prevents further sends of the queue before the loss.
  await stage.query(
    `UPDATE document_transaction SET due_at = due_at + interval '1 hour' WHERE reference_id LIKE 'UNSENT-%'`,
  );
  await stage.startDispatcher();
  await stage.submit(numbers.unknown);
  await untilCount(stage, 0, `submission_status IN ('Queued', 'Processing') AND reference_id NOT LIKE 'UNSENT-%'`);
  await until('the cancellations are done', async () => {
    const [{ done }] = await stage.query<{ done: number }>(
      `SELECT count(*)::integer AS done FROM document_cancellation WHERE status = 'Completed'`,
    );
    return done === CANCELLED;
  });
  await stage.stopDispatcher();
  await stage.submit(numbers.neverSent);
  const sent = await stage.wireLog();
  await stage.crash();
  progress(`lost, with ${sent.length - sentBefore} documents sent since`);

  await stage.backup.restore(stage.postgres, RESTORE_POINT);
  await stage.control('settings', { validationDelayMs: 200 });
  await stage.startApi();
  // The service recognises the restored server without any command.
  const dispatcher = await stage.startDispatcher();
  await dispatcher.printed('was restored to an earlier time');
  await stage.command('recover', 'begin');
  await stage.backup.forgetTarget(stage.postgres);
  progress('restored, and recognised; every tenant waits');
  // A client with an unknown batch submits one of its documents again.
  await stage.submit(numbers.unknown.slice(0, RESUBMITTED));
  await untilSearched(stage);
  const report = await stage.command<Report>('recover', 'report');
  const heldSends = (await stage.wireLog()).length - sent.length;
  const adopted = report.tenants.reduce((sum, tenant) => sum + tenant.adopted, 0);
  progress(`${report.documents.length} documents are missing here, ${adopted} are adopted`);
  const listed = new Set(report.documents.map(({ referenceId }) => referenceId));
  const absent = new Set(findAbsent(sent, await readAttempts(stage)));

  let early = 0;
  for (const [index, { tenantId }] of stage.tenants.entries()) {
    await stage.command('recover', 'release', tenantId);
    const held = new Set(stage.tenants.slice(index + 1).map(({ tin }) => tin));
    early += (await stage.wireLog()).slice(sent.length).filter(({ supplierTin }) => held.has(supplierTin)).length;
  }
  progress('every tenant is released');
  // Another client resubmits now. Its document waits until the search has compared it.
  await stage.submit(numbers.unknown.slice(RESUBMITTED, 2 * RESUBMITTED));
  await stage.command('recover', 'search');
  await until('every document has its outcome', async () => (await countUnresolved(stage)) === 0, 120_000).catch(() =>
    stage
      .query(
        `SELECT reference_id, submission_status, authority_status, t.due_at, state, s.due_at AS call_due_at
           FROM document_transaction t LEFT JOIN authority_submission s ON s.id = t.authority_submission_id
          WHERE submission_status IN ('Queued', 'Processing') OR authority_status = 'Submitted' LIMIT 10`,
      )
      .then((rows) => progress(`not every document has its outcome: ${JSON.stringify(rows)}`)),
  );
  await stage.stopDispatcher();

  const attempts = await readAttempts(stage);
  const all = await stage.wireLog();
  const audit = await stage.command<{ deviations: unknown[] }>('credits', 'audit');
  const [cancels] = await stage.query<{ off: number }>(
    `SELECT count(*)::integer AS off FROM document_cancellation c
       JOIN document_transaction t ON t.tenant_id = c.tenant_id AND t.id = c.transaction_id
      WHERE c.status <> 'Completed' OR t.authority_status <> 'Cancelled'`,
  );
  const stillOpen = await readOpenRecoveries(stage);
  await stage.backup.promote(stage.postgres);
  await stage.startDispatcher();
  await until('the dispatcher has seen the promotion', async () => {
    const [{ isSeen }] = await stage.query<{ isSeen: boolean }>(
      'SELECT timeline = left(pg_walfile_name(pg_current_wal_lsn()), 8) AS "isSeen" FROM database_server',
    );
    return isSeen;
  });
  progress('promoted, and recognised');
  const uuids = new Map(all.map(({ number, uuid }) => [number, uuid]));
  return {
    counts: {
      sent_twice:
        all.length - new Set(all.map(({ supplierTin, type, number }) => [supplierTin, type, number].join())).size,
      sent_while_held: heldSends + early,
      unlisted: [...absent].filter((number) => !listed.has(number)).length,
      wrongly_listed: [...listed].filter((number) => !absent.has(number)).length,
      unresolved: await countUnresolved(stage),
      not_sent: numbers.unsent.filter((number) => !uuids.has(number)).length,
      other_uuid: attempts.filter(({ number, uuid }) => uuid !== (uuids.get(number) ?? null)).length,
      credits_off: audit.deviations.length,
      cancellations_off: cancels.off,
      still_open: Number(stillOpen > 0),
      begun_by_promotion: Number((await readOpenRecoveries(stage)) > stillOpen),
    },
    scenes: { ...atPoint, sent_since: sent.length - sentBefore, missing: listed.size, adopted },
  };
}

function findAbsent(sent: readonly WireDocument[], attempts: readonly AttemptRow[]): string[] {
  const known = new Set(attempts.map(({ uuid }) => uuid));
  return sent.filter(({ uuid }) => !known.has(uuid)).map(({ number }) => number);
}

function readAttempts(stage: Stage): Promise<AttemptRow[]> {
  return stage.query<AttemptRow>(
    `SELECT reference_id AS number, authority_uuid AS uuid, coalesce(authority_status, submission_status) AS status
       FROM document_transaction`,
  );
}

async function readOpenRecoveries(stage: Stage): Promise<number> {
  return (await stage.query('SELECT FROM recovery WHERE ended_at IS NULL')).length;
}

function countUnresolved(stage: Stage): Promise<number> {
  return count(stage, `submission_status IN ('Queued', 'Processing') OR authority_status = 'Submitted'`);
}

async function count(stage: Stage, condition: string): Promise<number> {
  const [{ found }] = await stage.query<{ found: number }>(
    `SELECT count(*)::integer AS found FROM document_transaction WHERE ${condition}`,
  );
  return found;
}

function untilCount(stage: Stage, wanted: number, condition: string): Promise<void> {
  return until(
    `${wanted} documents with ${condition}`,
    async () => {
      const found = await count(stage, condition);
      return wanted === 0 ? found === 0 : found >= wanted;
    },
    120_000,
  );
}

/** A search too soon after the loss does not count: the release requires another one. */
async function untilSearched(stage: Stage): Promise<void> {
  await until('every tenant is searched late enough', async () => {
    await stage.command('recover', 'search');
    const [{ late }] = await stage.query<{ late: boolean }>(
      `SELECT bool_and(x.searched_at >= r.began_at + interval '1 second') AS late
         FROM recovery r JOIN recovery_tenant x ON x.recovery_id = r.id WHERE r.ended_at IS NULL`,
    );
    return late;
  });
}
