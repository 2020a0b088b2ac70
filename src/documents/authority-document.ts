import { chooseLineCodes } from './authority-document/line-defaults.js';
import {
  buyerParty,
  CONSOLIDATED_BUYER_PARTY,
  supplierParty,
  supplierPartyOfProfile,
} from './authority-document/party.js';
import { documentTax, computeTaxSubtotals, type BuiltLine, lineTax } from './authority-document/tax.js';
import { buildDiscount, monetaryTotal } from './authority-document/totals.js';
import {
  CURRENCY_CODE,
  type UblNode,
  type SourcedValue,
  type UblObject,
  element,
  serialise,
  sourcesIn,
  FixedAttributes,
  amount,
} from './authority-document/ubl.js';
import { DOCUMENT_TYPE_ROWS } from './document-types.js';
import type { InvoicePeriod } from './issue-time.js';
import type { SimplifiedDocument, Supplier } from './simplified-document.js';
import { toRinggit, roundProduct } from '../common/decimal.js';
import { choosePercents } from './tax-percent.js';
import { computeTotals } from './totals.js';

/** `1.0` is unsigned, `1.1` is signed. */
export type AuthorityVersion = '1.0' | '1.1';

export interface AuthorityDocumentInput {
  readonly document: SimplifiedDocument;
  readonly supplier: Supplier;
  /** Whole seconds. */
  readonly issuedAt: Date;
  readonly period: InvoicePeriod | null;
  /** The authority's UUID of the parent (docs/rules.md#credit-notes), or null for types without a parent. */
  readonly parentAuthorityUuid: string | null;
  readonly version: AuthorityVersion;
}

const SCHEMAS = 'urn:oasis:names:specification:ubl:schema:xsd:';
const NAMESPACES =
  `"_D":"${SCHEMAS}Invoice-2","_A":"${SCHEMAS}CommonAggregateComponents-2",` +
  `"_B":"${SCHEMAS}CommonBasicComponents-2"`;

/**
 * Builds the exact bytes of the authority's document: minified UBL 2.1 JSON in UTF-8, with members in the order of the
 * authority's samples. Equal inputs produce equal bytes, which are hashed and signed.
 * @throws Error if a credit note has no parent UUID, or a non-consolidated document has no recipient
 */
export function buildAuthorityDocument(input: AuthorityDocumentInput): Buffer {
  const invoice = serialise(buildInvoice(input));
  return Buffer.from(`{${NAMESPACES},"Invoice":[${invoice}]}`, 'utf8');
}

/** Maps paths such as `InvoiceLine[0].ID[0]._` to values and to JSON Pointers of the caller's fields. */
export function mapSources(input: AuthorityDocumentInput): Map<string, SourcedValue> {
  return sourcesIn(buildInvoice(input));
}

/** Maps paths of the supplier to fields of the profile, such as `/stateCode`. */
export function mapProfileSources(supplier: Supplier): Map<string, SourcedValue> {
  return sourcesIn({ AccountingSupplierParty: supplierPartyOfProfile(supplier) });
}

function buildInvoice(input: AuthorityDocumentInput): UblObject {
  const { document, supplier } = input;
  const { code } = DOCUMENT_TYPE_ROWS[document.documentType];
  const totals = computeTotals(document);
  const lines = document.lineItems.map((line) => ({ line, codes: chooseLineCodes(line, document, supplier) }));
  const percents = choosePercents(lines);
  const issuedAt = input.issuedAt.toISOString();
  return {
    ID: element(document.referenceId, '/referenceId'),
    IssueDate: element(issuedAt.slice(0, 10), dateIn(document)),
    IssueTime: element(`${issuedAt.slice(11, 19)}Z`, dateIn(document)),
    InvoiceTypeCode: element(code, '/documentType', { listVersionID: input.version }),
    DocumentCurrencyCode: CURRENCY_CODE,
    TaxCurrencyCode: CURRENCY_CODE,
    InvoicePeriod: invoicePeriod(input.period, dateIn(document)),
    BillingReference: billingReferences(input),
    AccountingSupplierParty: supplierParty(supplier),
    AccountingCustomerParty: customerParty(input),
    PaymentTerms: paymentTerms(document),
    AllowanceCharge: buildDiscount(document.totalDiscountAmount, 'Discount', '/totalDiscountAmount'),
    TaxTotal: documentTax(toRinggit(totals.totalTaxAmount), computeTaxSubtotals(lines)),
    LegalMonetaryTotal: monetaryTotal(totals),
    InvoiceLine: lines.map((line, index) => invoiceLine({ ...line, percent: percents[index] }, index + 1)),
  };
}

function dateIn({ dateMember }: SimplifiedDocument): string {
  return `/${dateMember ?? 'document_date'}`;
}

function invoicePeriod(period: InvoicePeriod | null, from: string): UblNode | undefined {
  if (period === null) return undefined;
  return [{ StartDate: element(period.start, from), EndDate: element(period.end, from) }];
}

function paymentTerms({ paymentTerms }: SimplifiedDocument): UblNode | undefined {
  return paymentTerms === undefined ? undefined : [{ Note: element(paymentTerms, '/paymentTerms') }];
}

// The parent precedes the document's own number, as in the authority's sample.
function billingReferences(input: AuthorityDocumentInput): UblNode {
  const own = { AdditionalDocumentReference: [{ ID: element(input.document.referenceId, '/referenceId') }] };
  const { parentType } = DOCUMENT_TYPE_ROWS[input.document.documentType];
  return parentType === null ? [own] : [parentReference(input), own];
}

function parentReference(input: AuthorityDocumentInput): UblObject {
  const parent = input.document.relatedInvoice;
  const uuid = input.parentAuthorityUuid;
  if (parent === null || uuid === null)
    throw new Error(`A ${input.document.documentType} cannot be built without its parent`);
  // If the caller sends no UUID, the parent is found by its number (docs/rules.md#credit-notes).
  const uuidFrom = `/relatedInvoice/${parent.authorityUuid === null ? 'referenceId' : 'authorityUuid'}`;
  const number = element(parent.referenceId, '/relatedInvoice/referenceId');
  return { InvoiceDocumentReference: [{ ID: number, UUID: element(uuid, uuidFrom) }] };
}

function customerParty(input: AuthorityDocumentInput): UblNode {
  const { submissionType, recipient } = input.document;
  if (submissionType === 'consolidated') return CONSOLIDATED_BUYER_PARTY;
  if (recipient === null) throw new Error('A non-consolidated document cannot be built without its recipient');
  return buyerParty(recipient, input.supplier);
}

/** Builds a line. The authority's errors reference the line number, which starts at 1. */
function invoiceLine(built: BuiltLine, number: number): UblObject {
  const { line, codes } = built;
  const from = `/lineItems/${number - 1}`;
  const classificationFrom = codes.isClassificationFixed ? null : `${from}/classification`;
  return {
    ID: element(String(number), from),
    InvoicedQuantity: element(line.quantity, `${from}/quantity`, {
      unitCode: { value: codes.unitCode, from: `${from}/unitCode` },
    }),
    LineExtensionAmount: amount(line.lineTotal, `${from}/lineTotal`),
    AllowanceCharge: buildDiscount(line.discount, 'Line discount', `${from}/discount`),
    TaxTotal: lineTax(built, from),
    Item: [
      {
        CommodityClassification: [
          { ItemClassificationCode: element(codes.classification, classificationFrom, CLASSIFICATION_LIST) },
        ],
        Description: element(line.description, `${from}/description`),
      },
    ],
    Price: [{ PriceAmount: amount(line.unitPrice, `${from}/unitPrice`) }],
    ItemPriceExtension: [{ Amount: amount(roundProduct(line.quantity, line.unitPrice), from) }],
  };
}

const CLASSIFICATION_LIST = new FixedAttributes({ listID: 'CLASS' });
