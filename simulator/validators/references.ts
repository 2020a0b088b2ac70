import type { Archive } from '../archive.js';
import { type Parent, type StoredDocument, type ValidationFinding, getStatus } from '../documents.js';
import { type ArchiveValidator, toPropertyPath } from './validator.js';

const noteTypes = ['02', '03', '04', '12', '13', '14'];
// The general FAQ lets a note on an invoice from before e-invoicing say this, since that has no uuid.
const beforeEInvoicing = 'NA';
const path = toPropertyPath('BillingReference.InvoiceDocumentReference.UUID');
// The authority announces codes for a missing parent and for a wrong number without printing them: both are made up.
const notFoundCode = 'DR301';
const otherNumberCode = 'DR304';

/** Notes name documents that exist, are valid, and were issued by the same supplier to the same buyer. */
export const validateReferences: ArchiveValidator = (document, { archive, settings }) => {
  if (!noteTypes.includes(document.type)) return [];
  if (document.parents.length === 0) {
    return [{ code: notFoundCode, message: 'A referenced document is required', path }];
  }
  return document.parents.flatMap((parent) => {
    if (parent.uuid === beforeEInvoicing) return [];
    if (!archive.find(parent.uuid) && settings.unknownParents === 'accepted') return [];
    return checkParent(document, parent, archive);
  });
};

function checkParent(document: StoredDocument, { uuid, number }: Parent, archive: Archive): ValidationFinding[] {
  const parent = archive.find(uuid);
  if (!parent || parent.issuerTin !== document.issuerTin) {
    return [{ code: notFoundCode, message: `Referenced document uuid ${uuid} was not found`, path }];
  }
  const findings: ValidationFinding[] = [];
  const status = getStatus(parent);
  if (status !== 'Valid') {
    findings.push({ code: 'DR303', message: `The status of referenced document uuid ${uuid} is ${status}`, path });
  }
  if (parent.number !== number) {
    const message = `The internal id of referenced document uuid ${uuid} is not ${number}`;
    findings.push({
      code: otherNumberCode,
      message,
      path: toPropertyPath('BillingReference.InvoiceDocumentReference.ID'),
    });
  }
  if (parent.buyerTin !== document.buyerTin) {
    const message = `The buyer differs from the buyer of referenced document uuid ${uuid}`;
    findings.push({ code: 'DR308', message, path });
  }
  return findings;
}
