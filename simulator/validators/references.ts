import type { Archive } from '../archive.js';
import { type Parent, type StoredDocument, type ValidationFinding, getStatus } from '../documents.js';
import { type ArchiveValidator, toPropertyPath } from './validator.js';

const noteTypes = ['02', '03', '04', '12', '13', '14'];
// The authority's general FAQ allows this value for a parent without a uuid, issued before e-invoicing.
const beforeEInvoicing = 'NA';
const path = toPropertyPath('BillingReference.InvoiceDocumentReference.UUID');
// The authority has not published the codes for a missing parent and for a wrong number, so both are invented.
const notFoundCode = 'DR301';
const otherNumberCode = 'DR304';

/** Requires the parents of a note to exist, to be valid, and to have the same issuer and buyer. */
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
