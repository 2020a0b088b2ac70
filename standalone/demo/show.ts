import { formatTable } from '../../src/cli/output.js';
import type { BatchStatus } from './client.js';

const REASON_CHARACTERS_MAX = 90;

/** Prints a line such as `12 s  3 valid, 1 submitted` whenever the counts change. */
export function progressPrinter(): (statuses: readonly BatchStatus[]) => void {
  const begunAt = Date.now();
  let shown = '';
  return (statuses) => {
    const counts = new Map<string, number>();
    for (const [state, count] of statuses.flatMap((status) => Object.entries(status.counts))) {
      if (count > 0) counts.set(state, (counts.get(state) ?? 0) + count);
    }
    const line = [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
    if (line === shown) return;
    shown = line;
    const seconds = ((Date.now() - begunAt) / 1_000).toFixed(1);
    console.log(`${seconds.padStart(6)} s  ${line}`);
  };
}

export function outcomeTable(statuses: readonly BatchStatus[]): string {
  const documents = statuses.flatMap((status) => status.documents);
  return formatTable(
    documents,
    [
      ['document', (document) => document.documentType],
      ['reference', (document) => document.referenceId],
      ['status', (document) => document.authorityStatus ?? document.submissionStatus],
      ['total payable RM', (document) => document.totals.totalPayableAmount.toFixed(2).padStart(16)],
      ['authority uuid', (document) => document.authorityUuid],
      ['reason', describeReason],
    ],
    'No documents',
  );
}

function describeReason({ errors: [error] }: BatchStatus['documents'][number]): string | null {
  if (error === undefined) return null;
  const text = error.authorityCode ? `${error.authorityCode}: ${error.message}` : error.message;
  return text.length > REASON_CHARACTERS_MAX ? `${text.slice(0, REASON_CHARACTERS_MAX)}…` : text;
}
