/**
 * `authorityUuid` of an invoice from before e-invoicing. The authority's FAQ allows this text as "Original e-Invoice
 * Reference Number".
 */
export const BEFORE_E_INVOICING = 'NA';

const UUID_OF_AUTHORITY = /^[A-Z0-9]{26}$/;
const UUID_OF_RFC_4122 = /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;

/** Accepts an `authorityUuid` in any case. */
export const PARENT_UUID_PATTERN =
  /^(?:[Nn][Aa]|[A-Za-z0-9]{26}|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$/;

/**
 * Returns an `authorityUuid` as it is stored and looked up. The authority's UUIDs are upper case; other UUIDs (RFC
 * 4122) do not change.
 */
export function normaliseParentUuid(sent: string): string {
  const upper = sent.trim().toUpperCase();
  return UUID_OF_RFC_4122.test(upper) ? sent.trim() : upper;
}

export function isAuthorityUuid(uuid: string): boolean {
  return UUID_OF_AUTHORITY.test(uuid.toUpperCase());
}

/** Returns the authority's UUIDs in upper case, so that equal UUIDs compare equal. */
export function normaliseUuid(uuid: string): string {
  return isAuthorityUuid(uuid) ? uuid.toUpperCase() : uuid;
}
