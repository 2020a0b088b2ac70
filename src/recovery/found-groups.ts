import type { FoundRow, UnsettledAttempt } from './recovery.sql.js';

/** What the authority has under one number, and the attempts here that it may be. */
export interface FoundGroup {
  readonly found: readonly FoundRow[];
  readonly attempts: readonly UnsettledAttempt[];
}

/**
 * Found documents by environment, TIN and number, with the attempts that may be theirs: those of the same type, and of
 * any type where one of the documents has a type that is not known. Pure.
 */
export function groupFound(found: readonly FoundRow[], attempts: readonly UnsettledAttempt[]): FoundGroup[] {
  const groups = new Map<string, FoundRow[]>();
  for (const row of found) groups.set(toKey(row), [...(groups.get(toKey(row)) ?? []), row]);
  return [...groups.values()].map((rows) => ({
    found: rows,
    attempts: attempts.filter((attempt) => belongsTo(attempt, rows[0])),
  }));
}

function toKey({ environment, supplierTin, referenceId, documentType }: FoundRow): string {
  return JSON.stringify([environment, supplierTin, referenceId, documentType]);
}

function belongsTo(attempt: UnsettledAttempt, first: FoundRow): boolean {
  return (
    attempt.environment === first.environment &&
    attempt.supplierTin === first.supplierTin &&
    attempt.referenceId === first.referenceId &&
    (first.documentType === null || attempt.documentType === first.documentType)
  );
}
