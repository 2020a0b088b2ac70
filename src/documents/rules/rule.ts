import { PROBLEMS_MAX } from '../../errors/api-error.js';
import type { Problem } from '../../errors/problem.js';
import type { DocumentDto } from '../dto/document.dto.js';
import type { LineItemDto } from '../dto/line-item.dto.js';
import type { RecipientDto } from '../dto/recipient.dto.js';

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

/** `undefined` if missing, `null` if malformed. Rules ignore both, so that one mistake causes only one problem. */
export type CheckedMember<T> = T | null | undefined;

type Checked<Dto> = { readonly [Member in keyof Required<Dto>]: CheckedMember<CheckedValue<NonNullable<Dto[Member]>>> };

type CheckedValue<Value> = Value extends readonly (infer Item)[]
  ? // An item is `null` when it is not an object.
    readonly (Checked<Item> | null)[]
  : Value extends object
    ? Checked<Value>
    : Value extends string
      ? string
      : Value;

export type CheckedDocument = Checked<DocumentDto>;
export type CheckedRecipient = Checked<RecipientDto>;
export type CheckedLine = Checked<LineItemDto>;

export function normaliseText(text: CheckedMember<string>): string {
  return text?.trim() ?? '';
}

export function normaliseOptionalText(text: CheckedMember<string>): string | null {
  return text?.trim() ?? null;
}

/** Adding zero converts minus zero to zero. */
export function normaliseAmount(amount: CheckedMember<number>): number {
  return (amount ?? 0) + 0;
}

/** Returns the string of a member with two spellings, or null if both are missing or one is malformed. */
export function readAgreedText(one: CheckedMember<string>, other: CheckedMember<string>): string | null {
  if (one === null || other === null) return null;
  return (one ?? other)?.trim() ?? null;
}
