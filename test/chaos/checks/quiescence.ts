import { setTimeout as wait } from 'node:timers/promises';
import type { Cluster, ClusterDatabase } from '../cluster/cluster.js';

const POLL_MS = 1_000;

// A document has so many steps before it as its status says: a call in doubt that is found takes its documents nearer
// to their end, although none of them has reached it.
const STEPS_LEFT = /* sql */ `
  SELECT (SELECT coalesce(sum(CASE submission_status WHEN 'Queued' THEN 3 WHEN 'Processing' THEN 2 ELSE 1 END), 0)
            FROM document_transaction
           WHERE submission_status IN ('Queued', 'Processing') OR authority_status = 'Submitted')
       + (SELECT count(*) FROM document_cancellation WHERE status IN ('Queued', 'Processing'))
       + (SELECT count(*) FROM authority_submission WHERE state IN ('sending', 'unknown')) AS left`;

interface QuiescenceRequest {
  /** For how long nothing may come nearer to its end; a backlog takes as long as it takes. */
  readonly stalledMsMax: number;
  readonly signal?: AbortSignal;
  readonly onPoll?: (stepsLeft: number) => void;
  /** A statement that counts what is left; the work of documents unless it is said. */
  readonly stepsLeft?: string;
}

/** Waits until nothing is under way any more: true, or false when everything that is left has been stuck. */
export async function waitForQuiescence(
  cluster: Cluster<ClusterDatabase>,
  { stalledMsMax, signal, onPoll, stepsLeft = STEPS_LEFT }: QuiescenceRequest,
): Promise<boolean> {
  const stallDetector = new StallDetector(stalledMsMax, performance.now());
  for (;;) {
    signal?.throwIfAborted();
    const rows = await cluster.query<{ left: string }>(stepsLeft).catch(() => null);
    const left = rows === null ? Infinity : Number(rows[0].left);
    if (left === 0) return true;
    onPoll?.(left);
    if (stallDetector.isStalled(left, performance.now())) return false;
    await wait(POLL_MS);
  }
}

/** Whether a number still falls. Times in milliseconds, on a clock of the caller's. */
export class StallDetector {
  private least = Infinity;

  constructor(
    private readonly stalledMsMax: number,
    private progressedAt: number,
  ) {}

  /** True once it has been no lower than ever before for longer than allowed: what goes up and down is no progress. */
  isStalled(value: number, at: number): boolean {
    if (value < this.least) {
      this.least = value;
      this.progressedAt = at;
    }
    return at - this.progressedAt > this.stalledMsMax;
  }
}

const LEASE_LEFT = /* sql */ `
  SELECT 'a lease on ' || id || ' (' || state || ')' AS what FROM authority_submission
   WHERE state <> 'sending' AND (owner IS NOT NULL OR lease_until IS NOT NULL)
  UNION ALL
  SELECT 'an owner of cancellation ' || id FROM document_cancellation WHERE status <> 'Processing' AND owner IS NOT NULL
  UNION ALL
  SELECT 'a blocked tenant queue: ' || waiting_code FROM tenant_queue WHERE waiting_until > service_now()`;

// A live process may hold any of these for a moment.
const SESSION_LEFT = /* sql */ `
  SELECT 'a transaction that stands still since ' || state_change AS what FROM pg_stat_activity
   WHERE usename IN ('einvoice_app', 'einvoice_dispatcher') AND state LIKE 'idle in transaction%'
     AND state_change < clock_timestamp() - interval '2 seconds'
  UNION ALL
  SELECT 'a statement that runs since ' || query_start FROM pg_stat_activity
   WHERE usename IN ('einvoice_app', 'einvoice_dispatcher') AND state = 'active'
     AND query_start < clock_timestamp() - interval '2 seconds'
  UNION ALL
  SELECT 'a lock that is waited for: ' || locktype FROM pg_locks
   WHERE NOT granted AND waitstart < clock_timestamp() - interval '2 seconds'`;

const CONNECTIONS = /* sql */ `
  SELECT count(*) AS open FROM pg_stat_activity WHERE usename IN ('einvoice_app', 'einvoice_dispatcher')`;
const CONNECTIONS_GONE_MS = 5_000;

/** 12: what is left behind while all are idle, and what once they have ended in order. */
export async function findLeftovers(cluster: Cluster<ClusterDatabase>): Promise<string[]> {
  const left = [
    ...(await cluster.query<{ what: string }>(LEASE_LEFT)),
    ...(await cluster.query<{ what: string }>(SESSION_LEFT)),
  ];
  await Promise.all(cluster.nodes.map(({ program }) => program.stop()));
  const whats = left.map(({ what }) => what);
  const giveUpAt = performance.now() + CONNECTIONS_GONE_MS;
  for (;;) {
    const [{ open }] = await cluster.query<{ open: string }>(CONNECTIONS);
    if (Number(open) === 0) return whats;
    if (performance.now() > giveUpAt) return [...whats, `${open} connections of processes that have ended`];
    await wait(POLL_MS / 10);
  }
}
