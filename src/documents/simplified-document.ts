import type { LineTexts } from './dto/line-item.dto.js';
import type { RecipientTexts } from './dto/recipient.dto.js';
import type { IdType } from './identity.js';

export type DocumentType = 'invoice' | 'credit_note';

export type SubmissionType = 'consolidated' | 'non-consolidated';
export const SUBMISSION_TYPES: readonly SubmissionType[] = ['consolidated', 'non-consolidated'];

/** Every member of a type is named, those that may be left out too: one that is forgotten does not compile. */
export type Named<T> = { readonly [Member in keyof Required<T>]: T[Member] };

/**
 * A caller's document after every body rule (docs/rules.md#body-rules) has passed: aliases folded, texts trimmed, ids
 * normalised, defaults that do not depend on the tenant applied. This is what a transaction stores and what the
 * authority's document is built from.
 */
export interface SimplifiedDocument {
  readonly submissionType: SubmissionType;
  readonly documentType: DocumentType;
  readonly referenceId: string;
  /** A Malaysian calendar date, `YYYY-MM-DD`. */
  readonly documentDate: string;
  /** In which spelling the caller sent it, where findings point; `document_date` when it is absent. */
  readonly dateMember?: 'documentDate';
  /** The buyer; null when consolidated, where the authority fixes it. */
  readonly recipient: Recipient | null;
  readonly lineItems: readonly LineItem[];
  readonly totalDiscountAmount: number;
  readonly totalRoundingAmount: number;
  /** Left out where the caller sent none. */
  readonly paymentTerms?: string | undefined;
  /** Only on types that refer to a parent. */
  readonly relatedInvoice: RelatedInvoice | null;
}

/** A text of RecipientTexts that is not listed here is absent if the caller did not send it. */
export interface Recipient extends RecipientTexts {
  readonly name: string;
  readonly tin: string;
  readonly idType: IdType;
  readonly idValue: string;
  /** One to three lines. */
  readonly addressLines: readonly string[];
  readonly city: string;
  /** Null only abroad. */
  readonly postcode: string | null;
  /** The authority's two-digit code; a foreign buyer's free text or `17`. */
  readonly stateCode: string;
  /** ISO 3166-1 alpha-3. */
  readonly country: string;
  readonly phone: string | null;
  readonly email: string | null;
  readonly sstNumber: string | null;
}

/** A text of LineTexts that is not named here is left out where the caller sent none. */
export interface LineItem extends LineTexts {
  readonly description: string;
  readonly quantity: number;
  readonly unitPrice: number;
  readonly discount: number;
  /** The caller's when given, else round2(quantity × unitPrice − discount) (docs/rules.md#amounts). */
  readonly lineTotal: number;
  /** What the buyer pays; 0 on a line of tax type `E`. */
  readonly taxAmount: number;
  /**
   * On a line of tax type `E` what would have been due, which no total holds (docs/rules.md#exempted-tax). Left out of
   * every other line.
   */
  readonly exemptedTaxAmount?: number | undefined;
  /** The caller's rate in percent (docs/rules.md#tax-rate). Left out of lines without one. */
  readonly taxRate?: number | undefined;
  /** Left out where the tax is a percentage. */
  readonly unitTax?: UnitTax | undefined;
  readonly taxType: string | null;
  readonly taxExemptionReason: string | null;
  readonly classification: string | null;
  readonly unitCode: string | null;
}

/**
 * A tax of so much for a unit: `taxAmount` or `exemptedTaxAmount` is within 0.01 of their product
 * (docs/rules.md#amounts).
 */
export interface UnitTax {
  /** Ringgit for one unit. */
  readonly taxPerUnit: number;
  readonly unitCount: number;
}

export interface RelatedInvoice {
  readonly referenceId: string;
  readonly authorityUuid: string | null;
}

/** The totals that the service computes and responds with (docs/rules.md#totals); ringgit with two decimals. */
export interface DocumentTotals {
  readonly totalExcludingTax: number;
  readonly totalTaxAmount: number;
  readonly totalIncludingTax: number;
  readonly totalPayableAmount: number;
}

/**
 * The taxpayer that issues the documents, complete (docs/rules.md#order-of-checks refuses an incomplete one before
 * anything is queued).
 */
export interface Supplier {
  readonly name: string;
  readonly tin: string;
  readonly idType: IdType;
  readonly idValue: string;
  readonly sstNumber: string | null;
  readonly ttxNumber: string | null;
  /** MSIC, five digits. */
  readonly msic: string;
  readonly activity: string;
  readonly addressLines: readonly string[];
  readonly city: string;
  readonly postcode: string;
  readonly stateCode: string;
  readonly country: string;
  readonly phone: string;
  readonly email: string | null;
  /** Applied to lines that carry tax and name no type (docs/rules.md#authority-document). */
  readonly defaultTaxType: string;
  /**
   * Applied to lines that name no classification; null means the rule's own default (docs/rules.md#authority-document).
   */
  readonly defaultClassification: string | null;
}
