import { mapProfileSources, mapSources } from './authority-document.js';
import { needsDefaultTaxType } from './authority-document/line-defaults.js';
import type { SourcedValue } from './authority-document/ubl.js';
import type { RequestPointers } from './error-pointer.js';
import type { ProfileField } from './profile-fields.js';
import { type CodeMember, getCodeMember } from './refused-code.js';
import type { LineItem, SimplifiedDocument, Supplier } from './simplified-document.js';
import { BLANK_SUPPLIER } from './wire-size.js';

/** A code of one of the authority's lists, as a document contains it. */
export interface SentCode {
  readonly member: CodeMember | 'msic';
  readonly value: string;
  /** Relative to the caller's document; null for the supplier. */
  readonly pointer: string | null;
  /** The field of the profile that it comes from: the supplier's own, or the default of a line that states none. */
  readonly profileField: ProfileField | null;
}

/** Which document of the request a finding is about. */
export interface DocumentLocation {
  /** Its index in the request's `documents`. */
  readonly position: number;
  readonly pointers: RequestPointers;
  /** The codes of the document and of its supplier. */
  readonly codes: readonly SentCode[];
}

/**
 * Finds the fields of a request that the values of the built document come from, and its codes.
 * @param supplier the supplier that the document is built with; null if it is not known
 */
export function locateDocument(
  position: number,
  document: SimplifiedDocument,
  supplier: Supplier | null,
): DocumentLocation {
  const sources = mapDocument(document, supplier ?? BLANK_SUPPLIER);
  const ofSupplier = supplier === null ? [] : listSupplierCodes(supplier);
  return { position, pointers: toPointers(sources), codes: [...listCodes(sources, document, supplier), ...ofSupplier] };
}

/** The fields of a request that the values of the built document come from. */
export function buildRequestPointers(document: SimplifiedDocument): RequestPointers {
  return toPointers(mapDocument(document, BLANK_SUPPLIER));
}

/** The fields of the profile that the values of the supplier come from, such as `/stateCode`. */
export const PROFILE_POINTERS: RequestPointers = toPointers(
  mapProfileSources({ ...BLANK_SUPPLIER, addressLines: ['', ''] }),
);

// The rest of the builder's input is not the caller's and has no effect here. A period that may not have been stated
// does no harm.
function mapDocument(document: SimplifiedDocument, supplier: Supplier): Map<string, SourcedValue> {
  return mapSources({
    document,
    supplier,
    issuedAt: new Date(0),
    period: { start: document.documentDate, end: document.documentDate },
    parentAuthorityUuid: '',
    version: '1.0',
  });
}

function toPointers(sources: ReadonlyMap<string, SourcedValue>): RequestPointers {
  return new Map([...sources].map(([path, { from }]) => [path, from]));
}

function listCodes(
  sources: ReadonlyMap<string, SourcedValue>,
  { lineItems }: SimplifiedDocument,
  supplier: Supplier | null,
): SentCode[] {
  // The unit of a tax per unit is that of the line.
  const byPointer = new Map<string, SentCode>();
  for (const { from: pointer, value } of sources.values()) {
    const member = getCodeMember(pointer);
    if (member === null || typeof value !== 'string') continue;
    const [, position] = /^\/lineItems\/(\d+)\//.exec(pointer) ?? [];
    const isOfLine = position !== undefined && supplier !== null;
    const profileField = isOfLine ? findDefault(member, lineItems[Number(position)], supplier) : null;
    byPointer.set(pointer, { member, value, pointer, profileField });
  }
  return [...byPointer.values()];
}

/** The field of the profile that stands in for a code that the line does not state. */
function findDefault(member: CodeMember, line: LineItem, supplier: Supplier): ProfileField | null {
  if (member === 'taxType') return needsDefaultTaxType(line) ? 'defaultTaxType' : null;
  if (member !== 'classification' || line.classification !== null) return null;
  return supplier.defaultClassification ? 'defaultClassification' : null;
}

/** The codes of a supplier, each with the field of the profile. */
function listSupplierCodes({ stateCode, country, msic }: Supplier): SentCode[] {
  return [
    { member: 'state', value: stateCode, pointer: null, profileField: 'stateCode' },
    { member: 'country', value: country, pointer: null, profileField: 'country' },
    { member: 'msic', value: msic, pointer: null, profileField: 'msic' },
  ];
}
