import type { LineTexts } from './dto/line-item.dto.js';
import type { RecipientTexts } from './dto/recipient.dto.js';
import type { IdType } from './identity.js';

export type DocumentType = 'invoice' | 'credit_note';

export type SubmissionType = 'consolidated' | 'non-consolidated';
export const SUBMISSION_TYPES: readonly SubmissionType[] = ['consolidated', 'non-consolidated'];

/** Requires all members of a type, including optional ones, so that a forgotten member does not compile. */
export type Named<T> = { readonly [Member in keyof Required<T>]: T[Member] };

/** A document after all body rules, as stored (docs/rules.md#body-rules). */
export interface SimplifiedDocument {
  readonly submissionType: SubmissionType;
  readonly documentType: DocumentType;
  readonly referenceId: string;
  readonly documentDate: string;
  /** The member that the caller sent the date in, for findings. `document_date` if absent. */
  readonly dateMember?: 'documentDate';
  readonly recipient: Recipient | null;
  readonly lineItems: readonly LineItem[];
  readonly totalDiscountAmount: number;
  readonly totalRoundingAmount: number;
  readonly paymentTerms?: string | undefined;
  readonly relatedInvoice: RelatedInvoice | null;
}

export interface Recipient extends RecipientTexts {
  readonly name: string;
  readonly tin: string;
  readonly idType: IdType;
  readonly idValue: string;
  readonly addressLines: readonly string[];
  readonly city: string;
  /** Null only outside Malaysia. */
  readonly postcode: string | null;
  /** The authority's code in Malaysia. Outside Malaysia a free text or `17`. */
  readonly stateCode: string;
  readonly country: string;
  readonly phone: string | null;
  readonly email: string | null;
  readonly sstNumber: string | null;
}

export interface LineItem extends LineTexts {
  readonly description: string;
  readonly quantity: number;
  readonly unitPrice: number;
  readonly discount: number;
  /** The line total of the caller, or round2(quantity × unitPrice − discount) (docs/rules.md#amounts). */
  readonly lineTotal: number;
  readonly taxAmount: number;
  /** Tax that would be due on a line with tax type `E` (docs/rules.md#exempted-tax). Absent from other lines. */
  readonly exemptedTaxAmount?: number | undefined;
  /** In percent. */
  readonly taxRate?: number | undefined;
  readonly unitTax?: UnitTax | undefined;
  readonly taxType: string | null;
  readonly taxExemptionReason: string | null;
  readonly classification: string | null;
  readonly unitCode: string | null;
}

/** A tax per unit. `taxAmount` or `exemptedTaxAmount` is within 0.01 of the product (docs/rules.md#amounts). */
export interface UnitTax {
  readonly taxPerUnit: number;
  readonly unitCount: number;
}

export interface RelatedInvoice {
  readonly referenceId: string;
  readonly authorityUuid: string | null;
}

/** In ringgit. */
export interface DocumentTotals {
  readonly totalExcludingTax: number;
  readonly totalTaxAmount: number;
  readonly totalIncludingTax: number;
  readonly totalPayableAmount: number;
}

export interface Supplier {
  readonly name: string;
  readonly tin: string;
  readonly idType: IdType;
  readonly idValue: string;
  readonly sstNumber: string | null;
  readonly ttxNumber: string | null;
  readonly msic: string;
  readonly activity: string;
  readonly addressLines: readonly string[];
  readonly city: string;
  readonly postcode: string;
  readonly stateCode: string;
  readonly country: string;
  readonly phone: string;
  readonly email: string | null;
  readonly defaultTaxType: string;
  readonly defaultClassification: string | null;
}
