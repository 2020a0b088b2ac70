import { workflowHours } from '../document-types.js';
import { issueInstantOf } from '../documents.js';
import { type UblNode, classificationsOf, nodesAt, textAt } from '../ubl.js';
import type { CheckFinding } from './check-finding.js';
import { checkParties } from './party-fields.js';

const issueAgeMsMax = workflowHours.submissionDuration * 60 * 60_000;

/** The core field checks that the authority makes before it accepts a document. */
export function checkCoreFields(invoice: UblNode, now: number): CheckFinding[] {
  return [
    ...checkIssueInstant(invoice, now),
    ...checkParties(invoice),
    ...checkCurrency(invoice),
    ...checkClassifications(invoice),
  ];
}

function checkIssueInstant(invoice: UblNode, now: number): CheckFinding[] {
  const issuedAt = issueInstantOf(invoice);
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

function checkCurrency(invoice: UblNode): CheckFinding[] {
  if (textAt(invoice, 'DocumentCurrencyCode') !== '') return [];
  return [
    {
      code: 'CF378',
      message: 'Invoice currency code is required',
      target: 'DocumentCurrencyCode',
      propertyPath: 'Invoice.DocumentCurrencyCode',
    },
  ];
}

function checkClassifications(invoice: UblNode): CheckFinding[] {
  const hasBareLine = nodesAt(invoice, 'InvoiceLine').some((line) => {
    const codes = classificationsOf(line);
    return codes.length === 0 || codes.includes('');
  });
  if (!hasBareLine) return [];
  return [
    {
      code: 'CF364',
      message: 'Line classification is required',
      target: 'ItemClassificationCode',
      propertyPath: 'Invoice.InvoiceLine.Item.CommodityClassification.ItemClassificationCode',
    },
  ];
}
