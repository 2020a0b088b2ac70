import { quote } from '../common/canonical-json.js';
import { normaliseUuid } from '../documents/parent-uuid.js';
import type { AuthorityStatus } from '../documents/statuses.js';
import { type AuthorityError, readErrors, readErrorsOrFallback } from './authority-errors.js';
import {
  readInstant,
  isRecord,
  readList,
  readMember,
  readText,
  readWholeNumber,
  type WireObject,
} from './wire-values.js';

/** Readers return null if a required member is unreadable. Member names are case-insensitive. */

export interface DocumentToSubmit {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly referenceId: string;
}

/** Builds identical bytes for identical documents, because the authority detects duplicates by a hash of the body. */
export function buildSubmitBody(documents: readonly DocumentToSubmit[]): Buffer {
  // Avoids `JSON.stringify`, which would scan megabytes of base64.
  const entries = documents.map(
    ({ bytes, sha256, referenceId }) =>
      `{"format":"JSON","documentHash":"${sha256}","codeNumber":${quote(referenceId)},"document":"${bytes.toString('base64')}"}`,
  );
  return Buffer.from(`{"documents":[${entries.join()}]}`, 'utf8');
}

export interface AcceptedDocument {
  readonly referenceId: string;
  readonly authorityUuid: string;
}

export interface RejectedDocument {
  readonly referenceId: string;
  readonly errors: readonly AuthorityError[];
}

export interface SubmitResponse {
  readonly submissionUid: string | null;
  readonly accepted: readonly AcceptedDocument[];
  readonly rejected: readonly RejectedDocument[];
}

export interface DocumentSummary {
  readonly authorityUuid: string;
  readonly submissionUid: string | null;
  readonly referenceId: string;
  readonly typeName: string | null;
  readonly supplierTin: string | null;
  /** Null for an unknown status. Polls read it again. */
  readonly status: AuthorityStatus | null;
  readonly longId: string | null;
  readonly issuedAt: Date | null;
  readonly receivedAt: Date | null;
  readonly validatedAt: Date | null;
  readonly cancelledAt: Date | null;
  readonly rejectionRequestedAt: Date | null;
  readonly statusReason: string | null;
}

export type PartialSummary = Omit<DocumentSummary, 'authorityUuid' | 'referenceId'> & {
  readonly authorityUuid: string | null;
  readonly referenceId: string | null;
};

export function isReadable({ authorityUuid, referenceId }: PartialSummary): boolean {
  return authorityUuid !== null || referenceId !== null;
}

export function isIdentified(row: PartialSummary): row is DocumentSummary {
  return row.authorityUuid !== null && row.referenceId !== null;
}

export type FollowableSummary = DocumentSummary & { readonly submissionUid: string };

export function isFollowable(row: PartialSummary): row is FollowableSummary {
  return isIdentified(row) && row.submissionUid !== null;
}

// The authority uses 26 letters and digits, and also allows RFC 4122 UUIDs.
const UID_SHAPE = /^[0-9A-Za-z-]{10,64}$/;

function readUid(value: unknown): string | null {
  const written = readText(value);
  return written !== null && UID_SHAPE.test(written) ? written : null;
}

function readUuid(value: unknown): string | null {
  const uid = readUid(value);
  return uid === null ? null : normaliseUuid(uid);
}

export function readSubmitResponse(body: unknown): SubmitResponse | null {
  if (!isRecord(body)) return null;
  const accepted = readAll(readMember(body, 'acceptedDocuments'), readAccepted);
  const rejected = readAll(readMember(body, 'rejectedDocuments'), readRejected);
  if (accepted === null || rejected === null) return null;
  return { submissionUid: readUid(readMember(body, 'submissionUid')), accepted, rejected };
}

function readAccepted(row: WireObject): AcceptedDocument | null {
  const authorityUuid = readUuid(readMember(row, 'uuid'));
  const referenceId = readText(readMember(row, 'invoiceCodeNumber'));
  return authorityUuid === null || referenceId === null ? null : { authorityUuid, referenceId };
}

function readRejected(row: WireObject): RejectedDocument | null {
  const referenceId = readText(readMember(row, 'invoiceCodeNumber'));
  if (referenceId === null) return null;
  return {
    referenceId,
    errors: readErrorsOrFallback(readMember(row, 'error'), 'Refused by the authority without a reason'),
  };
}

/** Treats a missing list as empty. One unreadable row makes the whole list unreadable. */
function readAll<Row>(value: unknown, read: (row: WireObject) => Row | null): Row[] | null {
  if (value === undefined || value === null) return [];
  const rows = readList(value);
  if (rows === null) return null;
  const found: Row[] = [];
  for (const row of rows) {
    const entry = isRecord(row) ? read(row) : null;
    if (entry === null) return null;
    found.push(entry);
  }
  return found;
}

const STATUS_BY_NAME: Readonly<Record<string, AuthorityStatus>> = {
  submitted: 'Submitted',
  inprogress: 'Submitted',
  valid: 'Valid',
  invalid: 'Invalid',
  cancelled: 'Cancelled',
  canceled: 'Cancelled',
  '1': 'Submitted',
  '2': 'Valid',
  '3': 'Invalid',
  '4': 'Cancelled',
};

function readStatus(value: unknown): AuthorityStatus | null {
  const word = readText(value)?.toLowerCase().replace(/\s/g, '') ?? '';
  return Object.hasOwn(STATUS_BY_NAME, word) ? STATUS_BY_NAME[word] : null;
}

function readSummary(row: unknown): DocumentSummary | null {
  const summary = readPartialSummary(row);
  return isIdentified(summary) ? summary : null;
}

function readPartialSummary(value: unknown): PartialSummary {
  const row = isRecord(value) ? value : {};
  return {
    authorityUuid: readUuid(readMember(row, 'uuid')),
    referenceId: readText(readMember(row, 'internalId')),
    submissionUid: readUid(readMember(row, 'submissionUid')),
    typeName: readText(readMember(row, 'typeName')),
    supplierTin: readText(readMember(row, 'supplierTin')) ?? readText(readMember(row, 'issuerTin')),
    status: readStatus(readMember(row, 'status')),
    longId: readText(readMember(row, 'longId')),
    issuedAt: readInstant(readMember(row, 'dateTimeIssued')),
    receivedAt: readInstant(readMember(row, 'dateTimeReceived')),
    validatedAt: readInstant(readMember(row, 'dateTimeValidated')),
    cancelledAt: readInstant(readMember(row, 'cancelDateTime')),
    rejectionRequestedAt: readInstant(readMember(row, 'rejectRequestDateTime')),
    statusReason: readText(readMember(row, 'documentStatusReason')),
  };
}

export function readSubmission(body: unknown): DocumentSummary[] | null {
  const rows = isRecord(body) ? readList(readMember(body, 'documentSummary')) : null;
  if (rows === null) return null;
  const documents = rows.map(readSummary).filter((summary) => summary !== null);
  return documents.length === 0 && rows.length > 0 ? null : documents;
}

interface SearchPage {
  readonly rows: readonly PartialSummary[];
  readonly totalPages: number;
}

/** Reads a search page including its unreadable rows, because a document that seems missing may be sent again. */
export function readSearchPage(body: unknown): SearchPage | null {
  const rows = isRecord(body) ? readList(readMember(body, 'result')) : null;
  if (rows === null || !isRecord(body)) return null;
  const metadata = readMember(body, 'metadata');
  const totalPages = isRecord(metadata) ? readWholeNumber(readMember(metadata, 'totalPages')) : null;
  return totalPages === null ? null : { rows: rows.map(readPartialSummary), totalPages };
}

export interface DocumentDetails {
  readonly document: DocumentSummary;
  readonly errors: readonly ValidationFinding[];
  readonly failedSteps: readonly string[];
}

export interface ValidationFinding extends AuthorityError {
  readonly step: string | null;
}

export function readDetails(body: unknown): DocumentDetails | null {
  const document = readSummary(body);
  if (document === null || !isRecord(body)) return null;
  const results = readMember(body, 'validationResults');
  const listed = isRecord(results) ? (readList(readMember(results, 'validationSteps')) ?? []) : [];
  const steps = listed.filter(isRecord);
  return {
    document,
    errors: steps.flatMap(readFindings),
    failedSteps: steps
      .filter(failedSilently)
      .map((step) => readText(readMember(step, 'name')) ?? 'a step without a name'),
  };
}

function failedSilently(step: WireObject): boolean {
  return readStatus(readMember(step, 'status')) === 'Invalid' && readFindings(step).length === 0;
}

export function readRaw(body: unknown): string | null {
  return isRecord(body) ? readText(readMember(body, 'document')) : null;
}

function readFindings(step: WireObject): ValidationFinding[] {
  const name = readText(readMember(step, 'name'));
  return readErrors(readMember(step, 'error')).map((error) => ({ ...error, step: name }));
}

interface StateChange {
  readonly status: AuthorityStatus | null;
  readonly errors: readonly AuthorityError[];
}

export function readStateChange(body: unknown): StateChange | null {
  if (!isRecord(body)) return null;
  const error = readMember(body, 'error');
  const hasError = error !== undefined && error !== null;
  return {
    status: readStatus(readMember(body, 'status')),
    errors: hasError ? readErrorsOrFallback({ error }, 'Refused by the authority without a reason') : [],
  };
}

export interface IssuedToken {
  readonly accessToken: string;
  readonly lifetimeSeconds: number;
}

// A line break in the token would start another header.
const TOKEN_SHAPE = /^[\x21-\x7e]{1,8192}$/;
const LIFETIME_SECONDS_MAX = 86_400;

export function readToken(body: unknown): IssuedToken | null {
  if (!isRecord(body)) return null;
  const accessToken = readText(readMember(body, 'access_token'));
  const lifetimeSeconds = readWholeNumber(readMember(body, 'expires_in'));
  if (accessToken === null || !TOKEN_SHAPE.test(accessToken)) return null;
  if (lifetimeSeconds === null || lifetimeSeconds === 0) return null;
  return { accessToken, lifetimeSeconds: Math.min(lifetimeSeconds, LIFETIME_SECONDS_MAX) };
}
