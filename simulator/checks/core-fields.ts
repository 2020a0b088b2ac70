import { workflowHours } from '../document-types.js';
import { readIssueInstant } from '../documents.js';
import { type UblNode, readClassifications, nodesAt, textAt } from '../ubl.js';
import type { CheckFinding } from './check-finding.js';
import { checkParties } from './party-fields.js';

const exemptTaxType = 'E';
const issueAgeMsMax = workflowHours.submissionDuration * 60 * 60_000;

/** Runs the core field checks that the authority performs before it accepts a document. */
export function checkCoreFields(invoice: UblNode, now: number): CheckFinding[] {
  return [...checkIssueInstant(invoice, now), ...checkParties(invoice), ...checkFields(invoice)];
}

function checkIssueInstant(invoice: UblNode, now: number): CheckFinding[] {
  const issuedAt = readIssueInstant(invoice);
  if (issuedAt > now) return [issueInstantFinding('Document issuance date and time is in the future.')];
  if (now - issuedAt <= issueAgeMsMax) return [];
  return [issueInstantFinding('Issuance date time value of the document is too old that cannot be submitted.')];
}

function issueInstantFinding(message: string): CheckFinding {
  return {
    code: 'CF321',
    message,
    target: 'DatetimeIssued',
    propertyPath: 'Invoice.IssueDate AND Invoice.IssueTime',
  };
}

function checkFields(invoice: UblNode): CheckFinding[] {
  return fieldRules
    .filter((rule) => rule.isBroken(invoice))
    .map(({ code, message, element }) => {
      return { code, message, target: element.split('.').at(-1) ?? element, propertyPath: `Invoice.${element}` };
    });
}

interface FieldRule {
  /** The authority's error code, or null if it has not published one. */
  code: string | null;
  message: string;
  element: string;
  isBroken(invoice: UblNode): boolean;
}

const classificationElement = 'Item.CommodityClassification.ItemClassificationCode';
const descriptionElement = 'Item.Description';
const exemptionElement = 'TaxTotal.TaxSubtotal.TaxCategory';
const incotermLengthMax = 3;

const fieldRules: FieldRule[] = [
  {
    code: 'CF378',
    message: 'Invoice currency code is required',
    element: 'DocumentCurrencyCode',
    isBroken: (invoice) => textAt(invoice, 'DocumentCurrencyCode') === '',
  },
  {
    code: 'CF364',
    message: 'Line classification is required',
    element: `InvoiceLine.${classificationElement}`,
    isBroken: (invoice) => nodesAt(invoice, 'InvoiceLine').some(isUnclassified),
  },
  {
    code: null,
    message: 'Line description is required',
    element: `InvoiceLine.${descriptionElement}`,
    isBroken: (invoice) =>
      nodesAt(invoice, 'InvoiceLine').some((line) => textAt(line, descriptionElement).trim() === ''),
  },
  ...[exemptionElement, `InvoiceLine.${exemptionElement}`].map((element) => ({
    code: null,
    message: 'Tax exemption reason is required for tax type E',
    element: `${element}.TaxExemptionReason`,
    isBroken: (invoice: UblNode) => nodesAt(invoice, element).some(isExemptWithoutReason),
  })),
  {
    code: null,
    message: `Incoterms must be at most ${incotermLengthMax} letters and digits`,
    element: 'AdditionalDocumentReference.ID',
    isBroken: (invoice) => nodesAt(invoice, 'AdditionalDocumentReference').some(isWrongIncoterm),
  },
];

function isUnclassified(line: UblNode): boolean {
  const codes = readClassifications(line);
  return codes.length === 0 || codes.includes('');
}

function isExemptWithoutReason(category: UblNode): boolean {
  return textAt(category, 'ID') === exemptTaxType && textAt(category, 'TaxExemptionReason').trim() === '';
}

/** Returns whether the reference is an invalid incoterm. A reference with only an id is an incoterm. */
function isWrongIncoterm(reference: UblNode): boolean {
  const id = textAt(reference, 'ID');
  const isIncoterm = Object.keys(reference).every((name) => name === 'ID');
  return isIncoterm && (id.length > incotermLengthMax || /[^A-Za-z0-9]/.test(id));
}
