import { PROBLEMS_MAX } from '../../errors/api-error.js';
import type { Problem } from '../../errors/problem.js';

/** A row in a table of meaning rules (docs/rules.md#body-rules). */
export interface Rule<Subject> {
  readonly rule: string;
  readonly member: string | ((subject: Subject) => string);
  readonly isBroken: (subject: Subject) => boolean;
  readonly message: string | ((subject: Subject) => string);
  readonly hint: string | ((subject: Subject) => string);
}

/** Part of hints. A request has one submission type for all its documents. */
export const CONSOLIDATED_APART = 'in a separate request with submission_type consolidated';

/** Appends a problem for each broken rule, in the order of the table. */
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
    // Skips the hint because the response is already truncated.
    problems.push(problems.length < PROBLEMS_MAX ? { ...problem, hint: resolveText(rule.hint, subject) } : problem);
  }
}

function resolveText<Subject>(text: string | ((subject: Subject) => string), subject: Subject): string {
  return typeof text === 'string' ? text : text(subject);
}
