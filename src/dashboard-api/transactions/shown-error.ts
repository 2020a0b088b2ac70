import type { DocumentError } from '../../documents/error-catalogue.js';
import { getProfileValue, PROFILE_FIELD_TEXTS, readProfileField } from '../../documents/profile-fields.js';
import type { SimplifiedDocument, Supplier } from '../../documents/simplified-document.js';
import { buildRequest } from './build-request.js';
import { describeField, describeProfileField } from './field-names.js';

/** Sources of the sent values. */
interface Sent {
  /** Null if the stored payload is incomplete. */
  readonly document: SimplifiedDocument | null;
  readonly supplier: Supplier | null;
}

/** Error with the name and the sent value of its field. */
interface ShownError extends DocumentError {
  readonly field: string | null;
  readonly sentValue: string | null;
}

const VALUE_CHARACTERS_MAX = 200;

/** Adds the name and value of the field, from the request or, for supplier fields, from the profile. */
export function toShownErrors(errors: readonly DocumentError[], { document, supplier }: Sent): ShownError[] {
  if (errors.length === 0) return [];
  const [request = null] = document === null ? [] : (buildRequest(document).documents ?? []);
  return errors.map((error) => {
    const { pointer, hint } = error;
    const profileField = pointer === null ? readProfileField(hint) : null;
    if (profileField === null) {
      const value = pointer === null ? null : readValue(request, pointer);
      return Object.assign({}, error, { field: describeField(pointer), sentValue: shortenValue(value) });
    }
    const field = describeProfileField(PROFILE_FIELD_TEXTS[profileField].label);
    return Object.assign({}, error, {
      field,
      sentValue: shortenValue(supplier && getProfileValue(supplier, profileField)),
    });
  });
}

/** Returns the sent value of a field, an empty string if it was missing, or null for a group such as the buyer. */
function readValue(request: object | null, pointer: string): string | null {
  const members = pointer.split('/').slice(FIRST_MEMBER);
  let value: unknown = request;
  for (const member of members) {
    if (typeof value !== 'object' || value === null) return null;
    value = Object.hasOwn(value, member) ? (value as Readonly<Record<string, unknown>>)[member] : undefined;
  }
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return value === undefined ? '' : null;
}

// Index of `recipient` in `/documents/1/recipient/tin`.
const FIRST_MEMBER = 3;

export function shortenValue(text: string | null): string | null {
  if (text === null) return null;
  const characters = Array.from(text);
  if (characters.length <= VALUE_CHARACTERS_MAX) return text;
  return `${characters.slice(0, VALUE_CHARACTERS_MAX).join('')}…`;
}
