import type { Problem } from '../errors/problem.js';
import type { SimplifiedDocument } from '../documents/simplified-document.js';

/** A document of the tenant whose number is like the one at that position of the request, and another. */
export interface AlikeReference {
  readonly position: number;
  readonly referenceId: string;
}

export const REFERENCE_ID_ALIKE = 'reference_id_alike';

/**
 * Warns of numbers that differ from a known one, or from one of the same request, by case, width or composition alone (D4):
 * probably one document, which would be sent twice.
 */
export function warnOfAlike(
  documents: readonly { document: SimplifiedDocument }[],
  known: readonly AlikeReference[],
): Problem[] {
  const knownAt = new Map(known.map(({ position, referenceId }) => [position, referenceId]));
  const firstOf = new Map<string, string>();
  return documents.flatMap(({ document: { documentType, referenceId } }, index) => {
    const key = `${documentType}/${folded(referenceId)}`;
    const first = firstOf.get(key);
    if (first === undefined) firstOf.set(key, referenceId);
    const other = knownAt.get(index) ?? first;
    return other === undefined ? [] : [warningOf(index, other)];
  });
}

/** As alike_references() folds it, and in all scripts. */
function folded(referenceId: string): string {
  return referenceId.normalize('NFKD').toUpperCase();
}

function warningOf(index: number, other: string): Problem {
  return {
    pointer: `/documents/${index}/referenceId`,
    rule: REFERENCE_ID_ALIKE,
    message: `differs from ${other}, the number of another document, by case, width or composition alone`,
    hint: 'if the two are one document, cancel one of them; else give them numbers that people can tell apart',
  };
}
