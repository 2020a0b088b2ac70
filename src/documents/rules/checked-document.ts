import type { DocumentDto } from '../dto/document.dto.js';
import type { LineItemDto } from '../dto/line-item.dto.js';
import type { RecipientDto } from '../dto/recipient.dto.js';

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
