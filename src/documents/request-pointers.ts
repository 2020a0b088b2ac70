import { mapSources } from './authority-document.js';
import type { RequestPointers } from './error-pointer.js';
import type { SimplifiedDocument } from './simplified-document.js';
import { BLANK_SUPPLIER } from './wire-size.js';

/**
 * What the builder says of where the values of a document come from. The rest of its input, which is not the caller's,
 * has no part in it; a period that may not have been stated does no harm.
 */
export function buildRequestPointers(document: SimplifiedDocument): RequestPointers {
  return mapSources({
    document,
    supplier: BLANK_SUPPLIER,
    issuedAt: new Date(0),
    period: { start: document.documentDate, end: document.documentDate },
    parentAuthorityUuid: '',
    version: '1.0',
  });
}
