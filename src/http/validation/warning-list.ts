import { type Problem, findDocumentIndex, toSentence } from '../../errors/problem.js';

/** Maximum number of listed warnings (docs/rules.md#warnings). They are stored under the idempotency-key. */
export const WARNINGS_LISTED_MAX = 100;

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
  readonly warningsNotListed?: number;
}

export interface CollectedWarnings {
  readonly listed: readonly Problem[];
  readonly notListed: number;
}

/** Stores the first WARNINGS_LISTED_MAX warnings, and counts the rest without building them. */
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
