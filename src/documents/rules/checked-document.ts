import type { DocumentDto } from '../dto/document.dto.js';
import type { LineItemDto } from '../dto/line-item.dto.js';
import type { RecipientDto } from '../dto/recipient.dto.js';

/**
 * A member after the check of its shape (docs/rules.md#body-rules). `undefined` means missing; `null` means malformed and
 * already reported. Rules skip both, so that one mistake gives one problem.
 */
export type CheckedMember<T> = T | null | undefined;

/** A declared object with its members, each of the right shape or `null`; texts as they were sent. */
type Checked<Dto> = { readonly [Member in keyof Required<Dto>]: CheckedMember<CheckedValue<NonNullable<Dto[Member]>>> };

type CheckedValue<Value> = Value extends readonly (infer Item)[]
  ? // An item is `null` when it is not an object.
    readonly (Checked<Item> | null)[]
  : Value extends object
    ? Checked<Value>
    : Value extends string
      ? string
      : Value;

/** The recipient of a consolidated document is not read at all, hence undefined. */
export type CheckedDocument = Checked<DocumentDto>;
export type CheckedRecipient = Checked<RecipientDto>;
export type CheckedLine = Checked<LineItemDto>;

/** A text as it is kept: without the white space around it; what is broken or absent is empty. */
export function normaliseText(text: CheckedMember<string>): string {
  return text?.trim() ?? '';
}

/** An optional text as it is kept. */
export function normaliseOptionalText(text: CheckedMember<string>): string | null {
  return text?.trim() ?? null;
}

/** An amount as it is kept, 0 unless given; JSON's -0 is 0. */
export function normaliseAmount(amount: CheckedMember<number>): number {
  return (amount ?? 0) + 0;
}

/** The text of a member with two spellings: null when both are missing, or one is broken. */
export function readAgreedText(one: CheckedMember<string>, other: CheckedMember<string>): string | null {
  if (one === null || other === null) return null;
  return (one ?? other)?.trim() ?? null;
}
