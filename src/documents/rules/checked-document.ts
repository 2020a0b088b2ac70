import type { DocumentDto } from '../dto/document.dto.js';
import type { LineItemDto } from '../dto/line-item.dto.js';
import type { RecipientDto } from '../dto/recipient.dto.js';

/**
 * A member whose shape was looked at (docs/rules.md#body-rules): `undefined` was not given, `null` was given, is broken
 * and already reported. A rule judges only what it can see, so that one mistake gives one problem.
 */
export type Seen<T> = T | null | undefined;

/** A declared object with its members, each of the right shape or `null`; texts as they were sent. */
type Checked<Dto> = { readonly [Member in keyof Required<Dto>]: Seen<CheckedValue<NonNullable<Dto[Member]>>> };

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
export function normaliseText(seen: Seen<string>): string {
  return seen?.trim() ?? '';
}

/** An optional text as it is kept. */
export function normaliseOptionalText(seen: Seen<string>): string | null {
  return seen?.trim() ?? null;
}

/** An amount as it is kept, 0 unless given; JSON's -0 is 0. */
export function normaliseAmount(seen: Seen<number>): number {
  return (seen ?? 0) + 0;
}

/** The text of a member with two spellings: null when both are missing, or one is broken. */
export function readAgreedText(one: Seen<string>, other: Seen<string>): string | null {
  if (one === null || other === null) return null;
  return (one ?? other)?.trim() ?? null;
}
