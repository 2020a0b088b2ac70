import type { Finding, TenantEvidence } from './evidence.js';

/** Check 5: the ledger is consistent and contains one charge per accepted batch and cancellation. */
export function findCreditsOff(evidence: TenantEvidence): Finding[] {
  const { tenantId } = evidence;
  const problems = [...ledgerProblems(evidence), ...chargeProblems(evidence)];
  return problems.map(({ what, causeId = null }) => ({ check: 'credits_off', what, ids: { tenantId, causeId } }));
}

interface Problem {
  readonly what: string;
  readonly causeId?: string;
}

function ledgerProblems({ account, lots, entries }: TenantEvidence): Problem[] {
  const problems: Problem[] = [];
  let balance = 0;
  [...entries]
    .sort((a, b) => a.sequence - b.sequence)
    .forEach(({ sequence, amount, balanceAfter, causeId }, index) => {
      balance += amount;
      if (sequence !== index + 1) problems.push({ what: `entry ${sequence} stands at place ${index + 1}`, causeId });
      if (balanceAfter !== balance)
        problems.push({ what: `entry ${sequence} says ${balanceAfter}, the sum is ${balance}`, causeId });
    });
  const remaining = lots.reduce((sum, lot) => sum + lot.remaining, 0);
  if (account.balance !== balance)
    problems.push({ what: `the account says ${account.balance}, the entries ${balance}` });
  if (remaining !== balance) problems.push({ what: `the lots hold ${remaining}, the entries say ${balance}` });
  if (account.entrySequence !== entries.length)
    problems.push({ what: `the account counts ${account.entrySequence} entries of ${entries.length}` });
  return problems;
}

function chargeProblems({ history, batches, cancellations, entries }: TenantEvidence): Problem[] {
  const due = new Map<string, number>([
    ...batches.map(({ id, documentCount }): [string, number] => [`submit ${id}`, documentCount]),
    ...cancellations.map(({ id }): [string, number] => [`cancel ${id}`, 1]),
  ]);
  // Acknowledged calls must be charged even if their rows are missing.
  for (const entry of history) {
    if (entry.kind === 'submit' && entry.accepted !== null)
      due.set(`submit ${entry.accepted.submissionBatchId}`, entry.documents.length);
    if (entry.kind === 'cancel' && entry.accepted !== null) due.set(`cancel ${entry.accepted.transactionId}`, 1);
  }
  const charged = new Map<string, number>();
  for (const { kind, causeId, amount } of entries) {
    if (kind !== 'submit' && kind !== 'cancel') continue;
    charged.set(`${kind} ${causeId}`, (charged.get(`${kind} ${causeId}`) ?? 0) - amount);
  }
  return [...new Set([...due.keys(), ...charged.keys()])]
    .filter((cause) => due.get(cause) !== charged.get(cause))
    .map((cause) => ({
      what: `${cause.split(' ')[0]}: ${due.get(cause) ?? 0} due, ${charged.get(cause) ?? 0} charged`,
      causeId: cause.split(' ')[1],
    }));
}
