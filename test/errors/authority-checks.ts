import { createHash } from 'node:crypto';
import type { CheckFinding } from '../../simulator/checks/check-finding.js';
import { checkCoreFields } from '../../simulator/checks/core-fields.js';
import { readDocument } from '../../simulator/checks/document.js';
import type { StoredDocument } from '../../simulator/documents.js';
import type { SimulatorSettings } from '../../simulator/settings.js';
import { validateCodes } from '../../simulator/validators/codes.js';
import { validateCurrencies } from '../../simulator/validators/currencies.js';
import { validateTaxpayers } from '../../simulator/validators/taxpayers.js';
import { buildAuthorityDocument } from '../../src/documents/authority-document.js';
import { goldenSupplier } from '../../src/documents/golden/golden.js';
import type { SimplifiedDocument } from '../../src/documents/simplified-document.js';

const SUPPLIER = goldenSupplier();

/**
 * Returns the authority's findings for the bytes of an accepted document: structure, core fields, codes, currencies and
 * rules about general TINs. Excludes checks against its registers.
 */
export function authorityFindings(document: SimplifiedDocument, now: Date): string[] {
  const bytes = buildAuthorityDocument({
    document,
    supplier: SUPPLIER,
    issuedAt: new Date(Math.floor(now.getTime() / 1_000) * 1_000 - 60_000),
    period: { start: document.documentDate, end: document.documentDate },
    // The service finds the parent by its number if the request contains no UUID.
    parentAuthorityUuid: document.relatedInvoice?.authorityUuid ?? 'Z9JH44F9A9XXQQ30QFD7EXWJ10',
    version: '1.0',
  });
  const entry = {
    codeNumber: document.referenceId,
    documentHash: createHash('sha256').update(bytes).digest('hex'),
    document: bytes.toString('base64'),
  };
  const read = readDocument(entry, now.getTime());
  if (Array.isArray(read)) return read.map(formatFinding);
  const stored = { type: document.documentType === 'invoice' ? '01' : '02', supplierTin: SUPPLIER.tin };
  const subject = { document: stored as StoredDocument, invoice: read.invoice };
  const found = [validateCodes, validateCurrencies, validateTaxpayers].flatMap((validate) =>
    validate(subject, {} as SimulatorSettings),
  );
  return [
    ...checkCoreFields(read.invoice, now.getTime()).map(formatFinding),
    ...found.map(({ code, message }) => `${code} ${message}`),
  ];
}

function formatFinding({ code, message }: CheckFinding): string {
  return `${code ?? 'structure'} ${message}`;
}
