/** Behaviour that a reserved document number triggers (docs/simulator.md#reserved-document-numbers). */
export type ReservedName =
  | { kind: 'invalid' | 'reject'; code: string }
  | { kind: 'slow'; seconds: number }
  | { kind: 'stuck' | 'drop' | 'late' | 'fail' | 'no-cancel' | 'unknown' };

type Reading = [pattern: RegExp, read: (argument: string) => ReservedName];

const readings: Reading[] = [
  [/^SIM-INVALID-([A-Z]+\d+)-./, (code) => ({ kind: 'invalid', code })],
  [/^SIM-REJECT-([A-Z]+\d+)-./, (code) => ({ kind: 'reject', code })],
  [/^SIM-SLOW-(\d{1,7})-./, (seconds) => ({ kind: 'slow', seconds: Number(seconds) })],
  [/^SIM-STUCK-./, () => ({ kind: 'stuck' })],
  [/^SIM-DROP-./, () => ({ kind: 'drop' })],
  [/^SIM-LATE-./, () => ({ kind: 'late' })],
  [/^SIM-FAIL-./, () => ({ kind: 'fail' })],
  [/^SIM-NOCANCEL-./, () => ({ kind: 'no-cancel' })],
  [/^SIM-/, () => ({ kind: 'unknown' })],
];

export function readReservedName(number: string): ReservedName | undefined {
  if (!number.startsWith('SIM-')) return undefined;
  for (const [pattern, read] of readings) {
    const match = pattern.exec(number);
    if (match) return read(match[1] ?? '');
  }
  return undefined;
}

export const reservedNamesText =
  'Document numbers that start with SIM- are reserved: SIM-INVALID-CODE-…, SIM-REJECT-CODE-…, SIM-SLOW-N-…, SIM-STUCK-…, ' +
  'SIM-DROP-…, SIM-LATE-…, SIM-FAIL-…, SIM-NOCANCEL-…';
