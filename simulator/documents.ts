import { isoSeconds } from './clock.js';
import { documentTypes } from './document-types.js';
import {
  type UblNode,
  findBuyer,
  findIssuer,
  readLegalIds,
  nodeAt,
  nodesAt,
  numberAt,
  findSupplier,
  textAt,
  readTin,
  readAttribute,
} from './ubl.js';

export type DocumentStatus = 'Submitted' | 'Valid' | 'Invalid' | 'Cancelled';

export interface Parent {
  uuid: string;
  number: string;
}

/** Fields that are extracted from a document's content. */
export interface DocumentSummary {
  number: string;
  type: string;
  version: string;
  issuedAt: number;
  issuerTin: string;
  supplierTin: string;
  supplierName: string;
  buyerTin: string;
  buyerId: string;
  /** Type of the buyer's id, such as BRN. */
  buyerIdType: string;
  buyerName: string;
  totals: { payable: number; excludingTax: number; discount: number; net: number };
  parents: Parent[];
}

export interface ValidationFinding {
  code: string;
  message: string;
  path: string;
}

export interface FailedStep {
  step: number;
  findings: ValidationFinding[];
}

export interface Outcome {
  validatedAt: number;
  /** Empty unless the document is valid. */
  longId: string;
  failedSteps: FailedStep[];
}

export interface StoredDocument extends DocumentSummary {
  uuid: string;
  submissionUid: string;
  /** Key of the submitting client and taxpayer. Other submitters cannot read the document. */
  submitter: string;
  receivedAt: number;
  /** Time when the issuer's submit permission began. Undefined means that it has no start. */
  appointedSince?: number;
  raw: Buffer;
  rawSha256: string;
  outcome?: Outcome;
  cancelledAt?: number;
  rejectRequestedAt?: number;
  reason?: string;
}

export function getStatus(document: StoredDocument): DocumentStatus {
  if (document.cancelledAt !== undefined) return 'Cancelled';
  if (!document.outcome) return 'Submitted';
  return document.outcome.failedSteps.length === 0 ? 'Valid' : 'Invalid';
}

const nameElement = 'PartyLegalEntity.RegistrationName';

export function summarise(invoice: UblNode): DocumentSummary {
  const supplier = findSupplier(invoice);
  const buyer = findBuyer(invoice);
  const [buyerId] = readLegalIds(buyer);
  return {
    number: textAt(invoice, 'ID'),
    type: textAt(invoice, 'InvoiceTypeCode'),
    version: readAttribute(nodeAt(invoice, 'InvoiceTypeCode') ?? {}, 'listVersionID'),
    issuedAt: readIssueInstant(invoice),
    issuerTin: readTin(findIssuer(invoice)),
    supplierTin: readTin(supplier),
    supplierName: textAt(supplier, nameElement),
    buyerTin: readTin(buyer),
    buyerId: buyerId?.value ?? '',
    buyerIdType: buyerId?.scheme ?? '',
    buyerName: textAt(buyer, nameElement),
    totals: readTotals(invoice),
    parents: readParents(invoice),
  };
}

export function readIssueInstant(invoice: UblNode): number {
  return Date.parse(`${textAt(invoice, 'IssueDate')}T${textAt(invoice, 'IssueTime')}`);
}

/** Builds the members that Get Submission, Details, Raw, Search and Recent share. */
export function toCommonRow(document: StoredDocument) {
  return {
    uuid: document.uuid,
    longId: document.outcome?.longId ?? '',
    internalId: document.number,
    typeName: documentTypes.find(({ code }) => code === document.type)?.name ?? document.type,
    typeVersionName: `Version ${document.version.replace(/\.0$/, '')}`,
    issuerTin: document.supplierTin,
    // Captured responses contain the buyer's TIN here, although the authority's pages state a registration number.
    receiverId: document.buyerTin,
    receiverName: document.buyerName,
    dateTimeIssued: isoSeconds(document.issuedAt),
    dateTimeReceived: isoSeconds(document.receivedAt),
    dateTimeValidated: isoOrNull(document.outcome?.validatedAt),
    totalDiscount: document.totals.discount,
    status: getStatus(document),
    cancelDateTime: isoOrNull(document.cancelledAt),
    rejectRequestDateTime: isoOrNull(document.rejectRequestedAt),
    documentStatusReason: document.reason ?? null,
    createdByUserId: `${document.issuerTin}:ea34e901-bf8e-4c48-8162-e6d582c8ff39`,
  };
}

/** Builds a row of Get Submission, which is also the header of Details and Raw. */
export function toSummaryRow(document: StoredDocument) {
  return {
    ...toCommonRow(document),
    submissionUid: document.submissionUid,
    issuerName: document.supplierName,
    totalPayableAmount: document.totals.payable,
    totalExcludingTax: document.totals.excludingTax,
    totalNetAmount: document.totals.net,
  };
}

function readTotals(invoice: UblNode): DocumentSummary['totals'] {
  const amount = (name: string) => numberAt(invoice, `LegalMonetaryTotal.${name}`);
  const excludingTax = amount('TaxExclusiveAmount') ?? 0;
  return {
    payable: amount('PayableAmount') ?? 0,
    excludingTax,
    discount: amount('AllowanceTotalAmount') ?? 0,
    net: amount('LineExtensionAmount') ?? excludingTax,
  };
}

function readParents(invoice: UblNode): Parent[] {
  return nodesAt(invoice, 'BillingReference.InvoiceDocumentReference').map((reference) => ({
    uuid: textAt(reference, 'UUID'),
    number: textAt(reference, 'ID'),
  }));
}

function isoOrNull(instantMs: number | undefined): string | null {
  return instantMs === undefined ? null : isoSeconds(instantMs);
}
