/** UUID for invoices that predate e-invoicing, as the authority's FAQ allows. */
export const BEFORE_E_INVOICING = 'NA';

const UUID_OF_AUTHORITY = /^[A-Z0-9]{26}$/;
const UUID_OF_RFC_4122 = /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;

export const PARENT_UUID_PATTERN =
  /^(?:[Nn][Aa]|[A-Za-z0-9]{26}|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$/;

/** The authority's UUIDs are upper case. RFC 4122 UUIDs are kept unchanged. */
export function normaliseParentUuid(sent: string): string {
  const upper = sent.trim().toUpperCase();
  return UUID_OF_RFC_4122.test(upper) ? sent.trim() : upper;
}

export function isAuthorityUuid(uuid: string): boolean {
  return UUID_OF_AUTHORITY.test(uuid.toUpperCase());
}

export function normaliseUuid(uuid: string): string {
  return isAuthorityUuid(uuid) ? uuid.toUpperCase() : uuid;
}
