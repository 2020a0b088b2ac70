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

/** Fields that a bulk job can correct, as pointers into a document. Amounts are excluded. */
export const BULK_FIELDS: readonly string[] = [
  ...OF_BUYER.map((member) => `/recipient/${member}`),
  ...OF_DOCUMENT.map((member) => `/${member}`),
  ...OF_LINES.map((member) => LINES + member),
];

/** Returns the name of a field. The pointer of a line field contains `*` instead of an index. */
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
 * Sets a field in the only document of a submit body. A line field is set in the lines with an error in this field, or
 * in all lines if no line has such an error.
 * @param errorPointers pointers of the document's errors into the submit body
 * @returns false if the document has no buyer
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
    // The body contains the date under one of two names.
    document[first === 'document_date' && document.documentDate !== undefined ? 'documentDate' : first] = value;
    return true;
  }
  if (document.recipient === undefined) return false;
  document.recipient[second] = value;
  return true;
}
