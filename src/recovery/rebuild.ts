import { isDeepStrictEqual } from 'node:util';
import { parseJsonText } from '../common/parse-json-text.js';
import { isCalendarDate } from '../common/malaysian-days.js';
import { type AuthorityVersion, buildAuthorityDocument } from '../documents/authority-document.js';
import { describeIssueTime } from '../documents/issue-time.js';
import type { SimplifiedDocument, Supplier } from '../documents/simplified-document.js';

export interface StoredAttempt {
  readonly payload: unknown;
  readonly supplier: Supplier | null;
  readonly parentAuthorityUuid: string | null;
  /** The stored bytes as a string, or null if there are none. */
  readonly text: string | null;
  readonly issuedAt: Date | null;
}

type Json = Readonly<Record<string, unknown>>;

/** Members that a signature adds to an invoice. */
const SIGNATURE_MEMBERS: readonly string[] = ['UBLExtensions', 'Signature'];

/** Returns whether the authority's document has the same content as an attempt, apart from the signature. Pure. */
export function isDocumentOf(attempt: StoredAttempt, { text, issuedAt }: { text: string; issuedAt: Date }): boolean {
  const found = parseDocument(text);
  if (found === null) return false;
  const isKept = attempt.text !== null && attempt.issuedAt?.getTime() === issuedAt.getTime();
  const built = isKept ? attempt.text : build(attempt, { invoice: found.invoice, issuedAt });
  const own = built === null ? null : parseDocument(built);
  return own !== null && isDeepStrictEqual(own, found);
}

export function readVersion(text: string): AuthorityVersion {
  const invoice = parseDocument(text)?.invoice ?? {};
  return readPath(invoice, ['InvoiceTypeCode', 0, 'listVersionID']) === '1.1' ? '1.1' : '1.0';
}

export function readParentUuid(text: string): string | null {
  const uuid = readPath(parseDocument(text)?.invoice ?? {}, PARENT_UUID);
  return typeof uuid === 'string' ? uuid : null;
}

/** Rebuilds the document of an attempt with a given issue time. Returns null if its stored data is unusable. Pure. */
export function buildAt(attempt: StoredAttempt, { issuedAt, version, parentAuthorityUuid }: BuildFacts): Buffer | null {
  try {
    const document = attempt.payload as SimplifiedDocument;
    if (attempt.supplier === null || !isCalendarDate(document.documentDate)) return null;
    const issue = describeIssueTime(issuedAt, document.documentDate);
    return buildAuthorityDocument({ document, supplier: attempt.supplier, ...issue, parentAuthorityUuid, version });
  } catch {
    return null;
  }
}

interface BuildFacts {
  readonly issuedAt: Date;
  readonly version: AuthorityVersion;
  readonly parentAuthorityUuid: string | null;
}

const PARENT_UUID = ['BillingReference', 0, 'InvoiceDocumentReference', 0, 'UUID', 0, '_'] as const;

function build(attempt: StoredAttempt, { invoice, issuedAt }: { invoice: Json; issuedAt: Date }): string | null {
  const isSigned = readPath(invoice, ['InvoiceTypeCode', 0, 'listVersionID']) === '1.1';
  // A note that waited for its parent was sent with a uuid that may be missing in the restored database.
  const uuid = readPath(invoice, PARENT_UUID);
  const parentAuthorityUuid = attempt.parentAuthorityUuid ?? (typeof uuid === 'string' ? uuid : null);
  return buildAt(attempt, { issuedAt, version: isSigned ? '1.1' : '1.0', parentAuthorityUuid })?.toString() ?? null;
}

/** Removes the signature. Returns null if the string is not a document. */
function parseDocument(text: string): { readonly namespaces: unknown; readonly invoice: Json } | null {
  try {
    const { Invoice: invoices, ...namespaces } = parseJsonText(text) as Json;
    if (!Array.isArray(invoices) || invoices.length !== 1) return null;
    const members = Object.entries(invoices[0] as Json).filter(([name]) => !SIGNATURE_MEMBERS.includes(name));
    return { namespaces, invoice: Object.fromEntries(members) };
  } catch {
    return null;
  }
}

function readPath(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string | number, unknown>)[key] : undefined,
    value,
  );
}
