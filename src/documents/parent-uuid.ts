/**
 * `authorityUuid` of an invoice from before e-invoicing, which has none: the general FAQ of the authority lets a note
 * say this as its "Original e-Invoice Reference Number".
 */
export const BEFORE_E_INVOICING = 'NA';

const UUID_OF_AUTHORITY = /^[A-Z0-9]{26}$/;
const UUID_OF_RFC_4122 = /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;

/** Whether a text is an `authorityUuid`, in any case. */
export const PARENT_UUID_PATTERN =
  /^(?:[Nn][Aa]|[A-Za-z0-9]{26}|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$/;

/**
 * An `authorityUuid` as it is kept, and as it is looked up: the authority writes its own in upper case. A UUID of RFC
 * 4122 is not one of the authority's and stays as it is.
 */
export function normaliseParentUuid(sent: string): string {
  const upper = sent.trim().toUpperCase();
  return UUID_OF_RFC_4122.test(upper) ? sent.trim() : upper;
}

/** Whether it has the form of the authority's uuids; `BEFORE_E_INVOICING` is none. */
export function isAuthorityUuid(uuid: string): boolean {
  return UUID_OF_AUTHORITY.test(uuid.toUpperCase());
}

/** Returns a uuid of the authority in upper case, as the authority writes it, so that equal ones compare equal. */
export function normaliseUuid(uuid: string): string {
  return isAuthorityUuid(uuid) ? uuid.toUpperCase() : uuid;
}
