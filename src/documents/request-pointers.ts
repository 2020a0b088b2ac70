import { mapProfileSources, mapSources } from './authority-document.js';
import { needsDefaultTaxType } from './authority-document/line-defaults.js';
import type { SourcedValue } from './authority-document/ubl.js';
import type { RequestPointers } from './error-pointer.js';
import type { ProfileField } from './profile-fields.js';
import { type CodeMember, getCodeMember } from './refused-code.js';
import type { LineItem, SimplifiedDocument, Supplier } from './simplified-document.js';
import { BLANK_SUPPLIER } from './wire-size.js';

export interface SentCode {
  readonly member: CodeMember | 'msic';
  readonly value: string;
  /** Relative to the caller's document, or null for the supplier. */
  readonly pointer: string | null;
  readonly profileField: ProfileField | null;
}

export interface DocumentLocation {
  readonly position: number;
  readonly pointers: RequestPointers;
  readonly codes: readonly SentCode[];
}

/** @param supplier supplier of the built document, or null if unknown */
export function locateDocument(
  position: number,
  document: SimplifiedDocument,
  supplier: Supplier | null,
): DocumentLocation {
  const sources = mapDocument(document, supplier ?? BLANK_SUPPLIER);
  const ofSupplier = supplier === null ? [] : listSupplierCodes(supplier);
  return { position, pointers: toPointers(sources), codes: [...listCodes(sources, document, supplier), ...ofSupplier] };
}

export function buildRequestPointers(document: SimplifiedDocument): RequestPointers {
  return toPointers(mapDocument(document, BLANK_SUPPLIER));
}

/** Profile fields that provide the supplier's values, such as `/stateCode`. */
export const PROFILE_POINTERS: RequestPointers = toPointers(
  mapProfileSources({ ...BLANK_SUPPLIER, addressLines: ['', ''] }),
);

// The other inputs of the builder have no effect on the sources. The period is always included.
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
  // A tax per unit has the same unit as its line, hence the map.
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

function findDefault(member: CodeMember, line: LineItem, supplier: Supplier): ProfileField | null {
  if (member === 'taxType') return needsDefaultTaxType(line) ? 'defaultTaxType' : null;
  if (member !== 'classification' || line.classification !== null) return null;
  return supplier.defaultClassification ? 'defaultClassification' : null;
}

function listSupplierCodes({ stateCode, country, msic }: Supplier): SentCode[] {
  return [
    { member: 'state', value: stateCode, pointer: null, profileField: 'stateCode' },
    { member: 'country', value: country, pointer: null, profileField: 'country' },
    { member: 'msic', value: msic, pointer: null, profileField: 'msic' },
  ];
}
