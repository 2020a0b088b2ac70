import { setTimeout as wait } from 'node:timers/promises';
import type { Cluster, ClusterDatabase } from '../cluster/cluster.js';

const POLL_MS = 1_000;

// Counts the remaining steps of each document instead of the documents, so that a found call in doubt counts
// as progress.
const STEPS_LEFT = /* sql */ `
  SELECT (SELECT coalesce(sum(CASE submission_status WHEN 'Queued' THEN 3 WHEN 'Processing' THEN 2 ELSE 1 END), 0)
            FROM document_transaction
           WHERE submission_status IN ('Queued', 'Processing') OR authority_status = 'Submitted')
       + (SELECT count(*) FROM document_cancellation WHERE status IN ('Queued', 'Processing'))
       + (SELECT count(*) FROM authority_submission WHERE state IN ('sending', 'unknown')) AS left`;

interface QuiescenceRequest {
  /** Longest time without progress. */
  readonly stalledMsMax: number;
  readonly signal?: AbortSignal;
  readonly onPoll?: (stepsLeft: number) => void;
  /** Statement that counts the remaining steps. The default counts those of documents. */
  readonly stepsLeft?: string;
}

/** Waits until no steps are left. Returns false if there is no progress for `stalledMsMax`. */
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

/** Detects that a number no longer falls. The caller provides the time in milliseconds. */
export class StallDetector {
  private least = Infinity;

  constructor(
    private readonly stalledMsMax: number,
    private progressedAt: number,
  ) {}

  /** Waits until no steps are left. Returns false if there is no progress for `stalledMsMax`. */
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

// Live processes may hold sessions and locks for a moment.
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

/** Check 12: lists leases, sessions and locks of idle processes, and connections after the processes have stopped. */
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
