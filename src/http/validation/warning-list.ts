import { type Problem, findDocumentIndex, toSentence } from '../../errors/problem.js';

/** The most warnings that one response lists (docs/rules.md#warnings): it is kept with its idempotency-key. */
export const WARNINGS_LISTED_MAX = 100;

/** Something about an accepted body that the caller may want to know, as it is in the response. */
export interface Warning {
  readonly pointer: string;
  readonly documentIndex: number | null;
  readonly referenceId: string | null;
  readonly rule: string;
  readonly message: string;
  readonly hint: string | null;
}

export interface ResponseWarnings {
  readonly warnings: readonly Warning[];
  /** Only when there are more than are listed. */
  readonly warningsNotListed?: number;
}

/** The warnings of a body, as plain values. */
export interface CollectedWarnings {
  readonly listed: readonly Problem[];
  readonly notListed: number;
}

/** Collects the first WARNINGS_LISTED_MAX and counts the others, which are then not even made. */
export class WarningList {
  private readonly listed: Problem[] = [];
  private notListed = 0;

  add(make: () => Problem): void {
    if (this.listed.length < WARNINGS_LISTED_MAX) this.listed.push(make());
    else this.notListed += 1;
  }

  collect(): CollectedWarnings {
    return { listed: this.listed, notListed: this.notListed };
  }
}

/**
 * The warnings of a response.
 * @param referenceIds those of the documents in request order
 * @param first what only the tenant's other documents show, listed before all others
 */
export function toResponseWarnings(
  { listed, notListed }: CollectedWarnings,
  referenceIds: readonly string[] = [],
  first: readonly Problem[] = [],
): ResponseWarnings {
  const all = [...first, ...listed];
  const warnings = all.slice(0, WARNINGS_LISTED_MAX).map((problem): Warning => {
    const documentIndex = findDocumentIndex(problem.pointer);
    return {
      pointer: problem.pointer,
      documentIndex,
      referenceId: documentIndex === null ? null : (referenceIds[documentIndex] ?? null),
      rule: problem.rule,
      message: toSentence(problem),
      hint: problem.hint ?? null,
    };
  });
  const warningsNotListed = notListed + all.length - warnings.length;
  return warningsNotListed === 0 ? { warnings } : { warnings, warningsNotListed };
}
