import type { Finding, RecordedRow, TenantEvidence } from './evidence.js';
import { countBy, groupBy } from './group.js';

/** Every event was delivered to every consumer once, and events of one attempt or cancellation in order. */
export function findDeliveriesOff({ tenantId, ...evidence }: TenantEvidence): Finding[] {
  const { consumers, recorded, transactions, events, cancellations } = evidence;
  const expected = [
    ...transactions.map(({ id }) => `${id} 1`),
    ...events.map(({ transactionId, version }) => `${transactionId} ${version}`),
    // A cancellation has no history, so only its start and its current status are known.
    ...cancellations.flatMap(({ id, status }) => [...new Set([`${id} Queued`, `${id} ${status}`])]),
  ];
  const off = (what: string, ids: Finding['ids']): Finding => ({
    check: 'deliveries_off',
    what,
    ids: { tenantId, ...ids },
  });
  const findings: Finding[] = [];
  for (const consumer of consumers) {
    const own = recorded.filter((row) => row.consumer === consumer);
    const delivered = new Set(own.map(({ source }) => source));
    const missing = expected.filter((source) => !delivered.has(source));
    findings.push(...missing.map((source) => off('an event was not delivered', { consumer, source })));
    for (const [eventId, count] of countBy(own, (row) => row.eventId)) {
      if (count > 1) findings.push(off(`an event was handled ${count} times`, { consumer, eventId }));
    }
    // Events of an attempt and of its cancellation have no common order.
    for (const [id, rows] of groupBy(own, ({ source }) => source.split(' ')[0])) {
      if (!isInOrder(rows)) findings.push(off('events came out of order', { consumer, id }));
    }
  }
  return findings;
}

/** Checks that ids ascend, and that an attempt starts with version 1 and a cancellation with `Queued`. */
function isInOrder(rows: readonly RecordedRow[]): boolean {
  const [{ kind, source }] = rows;
  if (source.split(' ')[1] !== (kind === 'status' ? '1' : 'Queued')) return false;
  return rows.slice(1).every((row, index) => {
    const before = rows[index];
    if (BigInt(row.eventId) <= BigInt(before.eventId)) return false;
    // Versions may be skipped, because not every change is an event.
    return row.kind !== 'status' || readVersion(row) > readVersion(before);
  });
}

function readVersion({ source }: RecordedRow): number {
  return Number(source.split(' ')[1]);
}
