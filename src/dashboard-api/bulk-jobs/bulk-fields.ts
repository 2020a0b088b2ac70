import type { DocumentDto } from '../../documents/dto/document.dto.js';
import { LINE_TEXTS } from '../../documents/dto/line-item.dto.js';
import { RECIPIENT_TEXTS, type RecipientDto } from '../../documents/dto/recipient.dto.js';
import { describeField } from '../transactions/field-names.js';

const OF_DOCUMENT = ['document_date', 'paymentTerms'] as const satisfies readonly (keyof DocumentDto)[];
const OF_BUYER = [
  'name',
  'tin',
  'brn',
  'nric',
  'passport',
  'army',
  'entity_type',
  'addressLine1',
  'addressLine2',
  'addressLine3',
  'postcode',
  'city',
  'state',
  'country',
  ...RECIPIENT_TEXTS,
] as const satisfies readonly (keyof RecipientDto)[];
const OF_LINES = ['description', ...LINE_TEXTS] as const;

const LINES = '/lineItems/*/';

/**
 * The fields that can have one value in many documents, as pointers into a document. Amounts are not among them: what is
 * right in one document is wrong in the next.
 */
export const BULK_FIELDS: readonly string[] = [
  ...OF_BUYER.map((member) => `/recipient/${member}`),
  ...OF_DOCUMENT.map((member) => `/${member}`),
  ...OF_LINES.map((member) => LINES + member),
];

/** A field in words: `/recipient/tin` is `Buyer, TIN`, that of a line has `*` for its number. */
export function nameBulkField(field: string): string {
  return describeField(`/documents/0${field.replaceAll('/*', '')}`) ?? field;
}

type Fields = Record<string, unknown>;
interface RequestedDocument extends Fields {
  documentDate?: string;
  recipient?: Fields;
  lineItems: Fields[];
}

/**
 * Sets a field of the one document of a submit body; that of lines in the lines that errors of the document name, or in
 * all lines when none is named.
 * @param errorPointers pointers of the document's errors into its own request
 * @returns false for a document without that part, such as one to the general public, which has no buyer
 */
export function setBulkField(
  body: object,
  { field, value, errorPointers }: { field: string; value: string; errorPointers: readonly string[] },
): boolean {
  const [document] = (body as { documents: RequestedDocument[] }).documents;
  if (field.startsWith(LINES)) {
    const member = field.slice(LINES.length);
    const isNamed = (index: number): boolean =>
      errorPointers.some((pointer) => pointer.endsWith(`/lineItems/${index}/${member}`));
    const named = document.lineItems.filter((_, index) => isNamed(index));
    for (const line of named.length > 0 ? named : document.lineItems) line[member] = value;
    return true;
  }
  const [, first, second] = field.split('/');
  if (second === undefined) {
    // A request has the date under one of two names.
    document[first === 'document_date' && document.documentDate !== undefined ? 'documentDate' : first] = value;
    return true;
  }
  if (document.recipient === undefined) return false;
  document.recipient[second] = value;
  return true;
}
