// Request and response bodies. test/typescript-client/types.spec.ts compares them with openapi.json.

/** A known value, or a value that a later version of the service adds. */
export type Open<Known extends string> = Known | (string & {});

export type DocumentType = 'invoice' | 'credit_note';
export type SubmissionType = 'consolidated' | 'non-consolidated';
export type EntityType = 'company' | 'individual';

/** The buyer. A company has `tin` and `brn`. An individual has `tin` and one of `nric`, `passport` and `army`. */
export interface Recipient {
  name: string;
  tin: string;
  entity_type: EntityType;
  brn?: string;
  nric?: string;
  passport?: string;
  army?: string;
  addressLine1: string;
  addressLine2?: string;
  addressLine3?: string;
  city: string;
  postcode?: string;
  /** State. In Malaysia, a code such as `selangor`. */
  state?: string;
  /** ISO 3166-1 alpha-3 code. Defaults to `MYS`. */
  country?: string;
  phone?: string;
  email?: string;
  sstNumber?: string;
}

export interface LineItem {
  description: string;
  quantity: number;
  unitPrice: number;
  /** Discount as an amount, not as a percentage. */
  discount?: number;
  lineTotal?: number;
  taxAmount?: number;
  /** Tax rate in percent. */
  taxRate?: number;
  taxPerUnit?: number;
  taxUnitCount?: number;
  taxType?: string;
  taxExemptionReason?: string;
  classification?: string;
  unitCode?: string;
}

export interface RelatedInvoice {
  referenceId: string;
  authorityUuid?: string;
}

export interface SubmitDocument {
  documentType: DocumentType;
  /** Your document number. */
  referenceId: string;
  /** Date in Malaysia as `YYYY-MM-DD`. */
  document_date: string;
  /** Required unless the submission is consolidated. */
  recipient?: Recipient;
  lineItems: LineItem[];
  totalDiscountAmount?: number;
  totalRoundingAmount?: number;
  /** Your totals. The service compares them with its own results. */
  totalExcludingTax?: number;
  totalTaxAmount?: number;
  totalIncludingTax?: number;
  totalPayableAmount?: number;
  paymentTerms?: string;
  /** Required for a credit note. */
  relatedInvoice?: RelatedInvoice;
}

export interface SubmitRequest {
  submission_type: SubmissionType;
  documents: SubmitDocument[];
}

export interface Problem {
  /** JSON Pointer into the body. */
  pointer: string;
  documentIndex: number | null;
  referenceId: string | null;
  rule: string;
  hint: string | null;
  message: string;
}

export interface Warnings {
  warnings: Problem[];
  warningsNotListed?: number;
}

export interface QueuedDocument {
  documentId: string;
  documentType: DocumentType;
  referenceId: string;
}

export interface SubmitAccepted extends Warnings {
  submissionBatchId: string;
  documents: QueuedDocument[];
}

export interface Totals {
  totalExcludingTax: number;
  totalTaxAmount: number;
  totalIncludingTax: number;
  totalPayableAmount: number;
}

export interface DryRunDocument {
  documentType: DocumentType;
  referenceId: string;
  totals: Totals;
}

export interface DryRun extends Warnings {
  dryRun: true;
  requiredCredits: number;
  documents: DryRunDocument[];
}

export interface CancelRequest {
  documentId: string;
  cancellationReason?: string;
}

export interface CancelAccepted {
  documentId: string;
  transactionId: string;
  warnings: Problem[];
}

export interface TaxpayerCheck {
  tin: string;
  /** Checked id, or null for a malformed or general TIN. */
  idType: 'BRN' | 'NRIC' | 'PASSPORT' | 'ARMY' | null;
  idValue: string | null;
  valid: boolean;
  reason: Open<'malformed' | 'general' | 'not_found'> | null;
  checkedAt: string;
  cached: boolean;
}

export type BatchStatus = Open<
  'Queued' | 'Processing' | 'Submitted' | 'Valid' | 'PartiallyValid' | 'Invalid' | 'SubmitFailed' | 'Cancelled'
>;
export type DocumentSubmissionStatus = Open<'Queued' | 'Processing' | 'Submitted' | 'SubmitFailed'>;
export type AuthorityStatus = Open<'Submitted' | 'Valid' | 'Invalid' | 'Cancelled'>;

export interface Counts {
  queued: number;
  processing: number;
  submitted: number;
  valid: number;
  invalid: number;
  cancelled: number;
  submitFailed: number;
}

/** The parent of a held credit note. */
export interface HeldFor {
  documentType: DocumentType;
  referenceId: string;
}

/** Reason why a document is waiting. It is not an error. */
export interface Waiting {
  code: Open<
    | 'held'
    | 'authority_unavailable'
    | 'not_appointed'
    | 'supplier_refused'
    | 'in_doubt'
    | 'call_budget'
    | 'signing_certificate_expired'
    | 'signing_failed'
    | 'environment_not_configured'
  >;
  message: string;
  hint: string;
  since: string;
}

/** Reason why the authority refused a document or its cancellation, with a fix. */
export interface DocumentError {
  code: string;
  message: string;
  pointer: string | null;
  hint: string | null;
  authorityCode: string | null;
  authorityMessage: string | null;
}

export interface Cancellation {
  transactionId: string;
  status: Open<'Queued' | 'Processing' | 'Completed' | 'Failed'>;
  reason: string;
  requestedAt: string;
  errors: DocumentError[];
}

export interface DocumentStatus {
  documentId: string;
  transactionId: string;
  documentType: DocumentType;
  referenceId: string;
  submissionStatus: DocumentSubmissionStatus;
  authorityStatus: AuthorityStatus | null;
  authorityUuid: string | null;
  authoritySubmissionUid: string | null;
  authorityLongId: string | null;
  validationUrl: string | null;
  totals: Totals;
  issuedAt: string | null;
  submittedAt: string | null;
  validatedAt: string | null;
  cancellableUntil: string | null;
  cancelledAt: string | null;
  rejectionRequestedAt: string | null;
  heldFor: HeldFor | null;
  waiting: Waiting | null;
  errors: DocumentError[];
  cancellation: Cancellation | null;
}

export interface SubmissionStatus {
  submissionBatchId: string;
  submissionType: SubmissionType;
  environment: 'sandbox' | 'production';
  status: BatchStatus;
  /** Whether the status is final and no cancellation is under way. */
  terminal: boolean;
  createdAt: string;
  updatedAt: string;
  documentCount: number;
  counts: Counts;
  nextPollAfterSeconds: number | null;
  documents: DocumentStatus[];
}
