/**
 * A member whose shape was looked at (docs/rules.md#body-rules): `undefined` was not given, `null` was given, is broken
 * and already reported. A rule judges only what it can see, so that one mistake gives one problem.
 */
export type Seen<T> = T | null | undefined;

/** The caller's document with its declared members, each of the right shape or `null`; texts as they were sent. */
export interface CheckedDocument {
  readonly documentType: Seen<string>;
  readonly referenceId: Seen<string>;
  readonly document_date: Seen<string>;
  readonly documentDate: Seen<string>;
  /** Not read at all, hence undefined, for consolidated. */
  readonly recipient?: Seen<CheckedRecipient>;
  /** A line is `null` when it is not an object. */
  readonly lineItems: Seen<readonly (CheckedLine | null)[]>;
  readonly totalDiscountAmount: Seen<number>;
  readonly totalRoundingAmount: Seen<number>;
  readonly relatedInvoice: Seen<CheckedRelatedInvoice>;
}

export interface CheckedRecipient {
  readonly name: Seen<string>;
  readonly tin: Seen<string>;
  readonly entity_type: Seen<string>;
  readonly entityType: Seen<string>;
  readonly brn: Seen<string>;
  readonly nric: Seen<string>;
  readonly passport: Seen<string>;
  readonly army: Seen<string>;
  readonly addressLine1: Seen<string>;
  readonly addressLine2: Seen<string>;
  readonly addressLine3: Seen<string>;
  readonly city: Seen<string>;
  readonly postcode: Seen<string>;
  readonly state: Seen<string>;
  readonly country: Seen<string>;
  readonly phone: Seen<string>;
  readonly email: Seen<string>;
  readonly sstNumber: Seen<string>;
}

export interface CheckedLine {
  readonly description: Seen<string>;
  readonly quantity: Seen<number>;
  readonly unitPrice: Seen<number>;
  readonly discount: Seen<number>;
  readonly lineTotal: Seen<number>;
  readonly taxAmount: Seen<number>;
  readonly taxPerUnit: Seen<number>;
  readonly taxUnitCount: Seen<number>;
  readonly taxType: Seen<string>;
  readonly taxExemptionReason: Seen<string>;
  readonly classification: Seen<string>;
  readonly unitCode: Seen<string>;
}

export interface CheckedRelatedInvoice {
  readonly referenceId: Seen<string>;
  readonly authorityUuid: Seen<string>;
}

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
