import { PROBLEMS_MAX } from '../../errors/api-error.js';
import type { Problem } from '../../errors/problem.js';

/** One row of a table of meaning rules (docs/rules.md#body-rules): pure, and silent about what it cannot judge. */
export interface Rule<Subject> {
  /** Stable identifier. */
  readonly rule: string;
  /** The member of the subject to which the problem points. */
  readonly member: string | ((subject: Subject) => string);
  readonly isBroken: (subject: Subject) => boolean;
  /** What is wrong, without its path. */
  readonly message: string | ((subject: Subject) => string);
  /** How to fix it, in the caller's own values where they show it. */
  readonly hint: string | ((subject: Subject) => string);
}

/** For hints: the submission type is that of a whole request, whose other documents have buyers. */
export const CONSOLIDATED_APART = 'in a separate request with submission_type consolidated';

/** Appends a problem for every rule of the table that the subject breaks, in the order of the table. */
export function checkRules<Subject>(
  rules: readonly Rule<Subject>[],
  subject: Subject,
  pointer: string,
  problems: Problem[],
): void {
  for (const rule of rules) {
    if (!rule.isBroken(subject)) continue;
    const problem = {
      pointer: `${pointer}/${resolveText(rule.member, subject)}`,
      rule: rule.rule,
      message: resolveText(rule.message, subject),
    };
    // Beyond what the response says, a hint would be worked out for nobody.
    problems.push(problems.length < PROBLEMS_MAX ? { ...problem, hint: resolveText(rule.hint, subject) } : problem);
  }
}

function resolveText<Subject>(text: string | ((subject: Subject) => string), subject: Subject): string {
  return typeof text === 'string' ? text : text(subject);
}
