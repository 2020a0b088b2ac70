import { setTimeout as wait } from 'node:timers/promises';
import type { CheckName } from '../chaos/checks/evidence.js';
import { BRING_FORWARD } from '../chaos/load/consumers.js';
import type { Mutant } from './patch.js';
import type { Stage } from './stage.js';

/** Bug that a check of the chaos run must detect, and a run that reveals it. */
export interface ChaosMutant extends Mutant {
  readonly check: CheckName;
  /** Adds event consumers to the dispatchers. One of them fails at random. */
  readonly hasConsumers?: boolean;
  run(stage: Stage): Promise<void>;
}

const DATABASE_LATENCY_MS = 300;

export const CHAOS_MUTANTS: readonly ChaosMutant[] = [
  {
    name: 'skip-fence',
    what: 'a process without its lease still settles its call',
    patches: [
      {
        file: 'src/dispatcher/queue/settle.js',
        find: "WHERE tenant_id = $1 AND id = $2 AND state = 'sending' AND owner = $3",
        replace: 'WHERE tenant_id = $1 AND id = $2 AND $3::uuid IS NOT NULL',
      },
    ],
    check: 'duplicated',
    run: async (stage) => {
      const { cluster } = stage;
      const zombie = await cluster.addDispatcher();
      // Logs in once, so that the second dispatcher finds a stored token.
      await stage.submit();
      await stage.untilRow(VALID);
      // The latency leaves time to stop the dispatcher between its claim and its send.
      zombie.database.applyToxics({ latencyMs: DATABASE_LATENCY_MS });
      await stage.submit();
      await stage.untilRow(SENDING);
      zombie.database.applyToxics({ isHeld: true });
      await cluster.simulator.fault('submit', 'drop-after');
      await cluster.addDispatcher();
      // After two lookups without a result, the second dispatcher resends the document. Its response is lost too.
      await stage.untilAccepted(2);
      zombie.database.clearToxics();
    },
  },
  {
    name: 'rebuild-bytes',
    what: 'a resend rebuilds the document with the current time',
    patches: [
      {
        file: 'src/dispatcher/reconcile/resend.service.js',
        find: 'await this.delivery.deliver({ submission, window, signal: resend.signal, claimedSince });',
        replace: `const { createHash } = await import('node:crypto');
        const members = submission.members.map((member) => {
            const document = JSON.parse(member.bytes.toString('utf8'));
            document.Invoice[0].IssueTime[0]._ = new Date().toISOString().slice(11, 19) + 'Z';
            const bytes = Buffer.from(JSON.stringify(document));
            return { ...member, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
        });
        await this.delivery.deliver({ submission: { ...submission, members }, window, signal: resend.signal, claimedSince });`,
      },
    ],
    check: 'content_off',
    run: async (stage) => {
      await stage.cluster.simulator.fault('submit', 'drop-before');
      await stage.cluster.addDispatcher();
      await stage.submit();
      await stage.untilAccepted(1);
    },
  },
  {
    name: 'requeue-on-expiry',
    what: 'the documents of an expired lease return to the queue',
    patches: [
      {
        file: 'src/dispatcher/reconcile/reconcile.sql.js',
        find: `UPDATE authority_submission
     SET state = 'unknown', owner = NULL, lease_until = NULL, failure = 'the lease ran out',
         due_at = lease_until + make_interval(secs => $1),`,
        replace: `WITH expired AS (
  UPDATE authority_submission
     SET state = 'failed', owner = NULL, lease_until = NULL, failure = 'the lease ran out',
         due_at = CASE WHEN $1::float8 < 0 THEN lease_until END,`,
      },
      {
        file: 'src/dispatcher/reconcile/reconcile.sql.js',
        find: `WHERE state = 'sending' AND lease_until < service_now()
      ORDER BY tenant_id, id LIMIT 100 FOR UPDATE SKIP LOCKED)
  RETURNING id`,
        replace: `WHERE state = 'sending' AND lease_until < service_now()
      ORDER BY tenant_id, id LIMIT 100 FOR UPDATE SKIP LOCKED)
  RETURNING tenant_id, id)
  UPDATE document_transaction t SET submission_status = 'Queued', authority_submission_id = NULL
    FROM expired e WHERE t.tenant_id = e.tenant_id AND t.authority_submission_id = e.id
  RETURNING t.id`,
      },
    ],
    check: 'duplicated',
    run: async (stage) => {
      await stage.cluster.simulator.fault('submit', 'late');
      const sender = await stage.cluster.addDispatcher();
      await stage.submit();
      await stage.untilAccepted(1);
      sender.program.kill();
      await stage.untilRow("SELECT FROM authority_submission WHERE state <> 'sending'");
    },
  },
  {
    name: 'debit-outside',
    what: 'credits are charged in a separate database transaction before the call is accepted',
    patches: [
      {
        file: 'src/database/functions/accept_request.sql',
        find: 'credits_left := charge_credits(p_tenant_id, p_credits, p_environment, p_operation, p_cause_id);',
        replace: 'credits_left := p_credits;',
      },
      {
        file: 'src/idempotency/idempotency.service.js',
        find: 'const rows = [charge.credits, causeId,',
        replace: `await this.transactions.inTenant(request.caller, ({ tx }) =>
            tx.query('SELECT charge_credits($1, $2, $3, $4, $5)',
                [request.caller.tenantId, charge.credits, request.caller.environment, request.operation, causeId]));
        const rows = [charge.credits, causeId,`,
      },
    ],
    check: 'credits_off',
    run: async (stage) => {
      const { cluster } = stage;
      await cluster.addDispatcher();
      const blocker = await cluster.connect();
      await blocker.query('BEGIN');
      await blocker.query('LOCK TABLE submission_batch IN SHARE MODE');
      const submitting = stage.submit();
      await stage.untilRow("SELECT FROM pg_locks WHERE NOT granted AND relation = 'submission_batch'::regclass");
      await cluster.postgres.crash();
      await cluster.postgres.start();
      await submitting;
      await blocker.end();
    },
  },
  {
    name: 'drop-where-on-cancel',
    what: 'a process without the claim settles a cancellation',
    patches: [
      {
        file: 'src/dispatcher/cancel/cancel.sql.js',
        find: "WHERE tenant_id = $1 AND id = $2 AND status = 'Processing' AND owner = $3",
        replace: 'WHERE tenant_id = $1 AND id = $2 AND $3::uuid IS NOT NULL',
      },
    ],
    check: 'cancels_off',
    run: async (stage) => {
      const { cluster } = stage;
      const zombie = await cluster.addDispatcher();
      const { documents } = await stage.submit();
      await stage.untilRow(VALID);
      await cluster.simulator.fault('cancel', 'cancel-200-with-error');
      zombie.authority.applyToxics({ isHeld: true });
      await stage.cancel(documents[0].documentId);
      await stage.until('the call on its way', () => Promise.resolve(zombie.authority.isHolding));
      // The authority rejects the cancellation, but the dispatcher cannot store this before another one takes over.
      zombie.database.applyToxics({ isHeld: true });
      zombie.authority.clearToxics();
      await cluster.addDispatcher();
      await stage.untilRow("SELECT FROM document_cancellation WHERE status = 'Completed'");
      zombie.database.clearToxics();
      await stage.untilRow(`SELECT FROM pg_stat_activity WHERE application_name LIKE 'einvoice%' AND query_start > (
        SELECT max(updated_at) FROM document_cancellation)`);
      await wait(SETTLE_MS);
    },
  },
  {
    name: 'forget-tenant',
    what: 'a status is read without tenant check and row-level security',
    patches: [
      {
        file: 'src/database/migrations/baseline.sql',
        find: 'TO einvoice_app USING (%2$s)',
        replace: 'TO einvoice_app USING (true)',
      },
      {
        file: 'src/database/functions/read_submission_status.sql',
        find: 'WHERE b.tenant_id = p_tenant_id AND b.id = p_batch_id AND b.environment = p_environment',
        replace: 'WHERE b.id = p_batch_id AND b.environment = p_environment',
      },
    ],
    check: 'foreign_ids',
    run: async (stage) => {
      await stage.cluster.addDispatcher();
      const { submissionBatchId } = await stage.submit(stage.tenants[0]);
      await stage.probeOtherTenant(stage.tenants[1], submissionBatchId);
    },
  },
  {
    name: 'ignore-retry-after',
    what: 'the service ignores Retry-After',
    patches: [
      {
        file: 'src/authority/retry-after.js',
        find: 'Math.min(Math.max(Math.ceil(seconds), 1), secondsMax)',
        replace: 'Math.min(0.05, secondsMax)',
      },
    ],
    check: 'calls_off',
    run: async (stage) => {
      await stage.cluster.addDispatcher();
      await stage.submit();
      await stage.untilRow(VALID);
      await stage.cluster.simulator.fault('submit', '429-seconds');
      // Keeps the queues filled during the wait.
      const endAt = performance.now() + THROTTLED_MS;
      for (let count = 0; performance.now() < endAt; count += 1) {
        await stage.submit(stage.tenants[count % stage.tenants.length]);
        await wait(THROTTLED_PAUSE_MS);
      }
    },
  },
  {
    name: 'overtake-failed-event',
    what: 'an event is delivered while an earlier event of its document waits for a retry',
    patches: [
      {
        file: 'src/document-events/event-deliveries.sql.js',
        find: 'FROM (SELECT tenant_id, document_id, first_id FROM due WHERE NOT is_blocked ORDER BY due_at OFFSET 0) w',
        replace: 'FROM (SELECT tenant_id, document_id, event_id AS first_id FROM due ORDER BY due_at OFFSET 0) w',
      },
    ],
    check: 'deliveries_off',
    hasConsumers: true,
    run: async (stage) => {
      await stage.cluster.addDispatcher();
      // A retry waits for two seconds, in which the next event of the document arrives.
      for (let count = 0; count < EVENTFUL_DOCUMENTS; count += 1) await stage.submit();
      await stage.until('every document to be valid', () => stage.hasNoRow(NOT_VALID));
      await stage.until('every event to be delivered', async () => {
        await stage.cluster.query(BRING_FORWARD);
        return stage.hasNoRow('SELECT FROM event_delivery');
      });
    },
  },
];

const SENDING = "SELECT FROM authority_submission WHERE state = 'sending'";
const VALID = "SELECT FROM document_transaction WHERE authority_status = 'Valid'";

// These documents have 120 events, 15 % of which fail.
const EVENTFUL_DOCUMENTS = 30;
const NOT_VALID = "SELECT FROM document_transaction WHERE authority_status IS DISTINCT FROM 'Valid'";

// Leaves time for the faulty write, which has no observable end.
const SETTLE_MS = 1_000;
// Longer than the simulator's Retry-After of three seconds.
const THROTTLED_MS = 4_000;
const THROTTLED_PAUSE_MS = 150;
