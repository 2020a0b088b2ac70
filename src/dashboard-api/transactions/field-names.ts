import { DocumentDto } from '../../documents/dto/document.dto.js';
import { LineItemDto } from '../../documents/dto/line-item.dto.js';
import { RelatedInvoiceDto } from '../../documents/dto/related-invoice.dto.js';
import { RecipientDto } from '../../documents/dto/recipient.dto.js';
import { listLabels } from '../../http/validation/labels.js';

// `dashboard/src/parts/field-names.ts` contains the same names; test/dashboard/field-names.spec.ts compares both.
const FIELD_NAMES: ReadonlyMap<string, string> = new Map(
  [RelatedInvoiceDto, LineItemDto, RecipientDto, DocumentDto].flatMap((dto) => [...listLabels(dto)]),
);

/** Parts of a document whose name precedes the member: `buyer’s name`. */
const OWNERS: ReadonlyMap<string, { readonly owner: string; readonly names: ReadonlyMap<string, string> }> = new Map([
  ['recipient', { owner: 'buyer’s', names: listLabels(RecipientDto) }],
  ['relatedInvoice', { owner: 'parent invoice’s', names: listLabels(RelatedInvoiceDto) }],
]);

/**
 * Returns the name of a field: `/documents/1/lineItems/2/taxAmount` is `Line 3, tax amount`, and
 * `/documents/1/recipient/tin` is `Buyer’s TIN`.
 * @param pointer JSON pointer into the submitted body; null if the error does not refer to the body
 */
export function describeField(pointer: string | null): string | null {
  if (pointer === null) return null;
  const [, , scope, ...members] = pointer.split('/').slice(1);
  if (scope === undefined) return 'The whole document';
  const part = OWNERS.get(scope);
  const member = members.at(-1);
  if (part !== undefined && member !== undefined) {
    return capitalise(`${part.owner} ${part.names.get(member) ?? member}`);
  }
  const words = [getName(scope)];
  for (const member of members) {
    if (/^\d+$/.test(member)) words[words.length - 1] = `line ${Number(member) + 1}`;
    else words.push(getName(member));
  }
  return capitalise(words.join(', '));
}

/** @param label label on the profile page */
export function describeProfileField(label: string): string {
  return `Organisation’s profile, ${label}`;
}

function getName(member: string): string {
  return FIELD_NAMES.get(member) ?? member;
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Field of a document with its displayed name. */
export interface NamedField {
  readonly name: string;
  readonly value: string;
}

/** Returns the names and values of the sent fields. */
export function nameFields(fields: Readonly<Record<string, string | number | undefined>>): NamedField[] {
  return Object.entries(fields).flatMap(([member, value]) =>
    value === undefined ? [] : [{ name: capitalise(getName(member)), value: toText(value) }],
  );
}

function toText(value: string | number): string {
  if (typeof value === 'string') return value;
  // All numbers of these fields are amounts in ringgit.
  return `${value < 0 ? '-' : ''}RM ${Math.abs(value).toLocaleString('en', { minimumFractionDigits: 2 })}`;
}
