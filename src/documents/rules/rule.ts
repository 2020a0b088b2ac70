import { PROBLEMS_MAX } from '../../common/errors.js';
import type { Problem } from '../../common/problem.js';

/** One row of a table of meaning rules (D4): pure, and silent about what it cannot judge. */
export interface Rule<Subject> {
  /** Stable identifier. */
  readonly rule: string;
  /** The member of the subject to which the problem points. */
  readonly member: string | ((subject: Subject) => string);
  readonly isBroken: (subject: Subject) => boolean;
  /** What is wrong, without its path. */
  readonly message: string | ((subject: Subject) => string);
  /** How to mend it; undefined when that cannot be said. */
  readonly hint?: string | ((subject: Subject) => string | undefined);
}

/** Appends a problem for every rule of the table that the subject breaks, in the order of the table. */
export function applyRules<Subject>(
  rules: readonly Rule<Subject>[],
  subject: Subject,
  pointer: string,
  problems: Problem[],
): void {
  for (const rule of rules) {
    if (!rule.isBroken(subject)) continue;
    const problem = {
      pointer: `${pointer}/${typeof rule.member === 'string' ? rule.member : rule.member(subject)}`,
      rule: rule.rule,
      message: typeof rule.message === 'string' ? rule.message : rule.message(subject),
    };
    // Beyond what is answered, a hint would be worked out for nobody.
    const hint = problems.length < PROBLEMS_MAX ? hintOf(rule, subject) : undefined;
    problems.push(hint === undefined ? problem : { ...problem, hint });
  }
}

function hintOf<Subject>({ hint }: Rule<Subject>, subject: Subject): string | undefined {
  return typeof hint === 'function' ? hint(subject) : hint;
}
