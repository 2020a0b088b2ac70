import { setTimeout as wait } from 'node:timers/promises';
import type { Cluster } from '../cluster/cluster.js';

const POLL_MS = 1_000;

const OPEN = /* sql */ `
  SELECT (SELECT count(*) FROM document_transaction
           WHERE submission_status IN ('Queued', 'Processing') OR authority_status = 'Submitted')
       + (SELECT count(*) FROM document_cancellation WHERE status IN ('Queued', 'Processing'))
       + (SELECT count(*) FROM authority_submission WHERE state IN ('sending', 'unknown')) AS open`;

/** Waits until nothing is under way any more; returns how long that took, or null when it took longer than allowed. */
export async function comeToRest(cluster: Cluster, withinMs: number, signal?: AbortSignal): Promise<number | null> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < withinMs) {
    signal?.throwIfAborted();
    const rows = await cluster.query<{ open: string }>(OPEN).catch(() => null);
    if (rows !== null && Number(rows[0].open) === 0) return performance.now() - startedAt;
    await wait(POLL_MS);
  }
  return null;
}

const LEASE_LEFT = /* sql */ `
  SELECT 'a lease on ' || id || ' (' || state || ')' AS what FROM authority_submission
   WHERE state <> 'sending' AND (owner IS NOT NULL OR lease_until IS NOT NULL)
  UNION ALL
  SELECT 'an owner of cancellation ' || id FROM document_cancellation WHERE status <> 'Processing' AND owner IS NOT NULL
  UNION ALL
  SELECT 'a blocked lane: ' || blocked_reason FROM dispatch_lane WHERE blocked_until > service_now()`;

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
export async function findLeftovers(cluster: Cluster): Promise<string[]> {
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
