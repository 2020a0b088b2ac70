import { hashBody } from '../common/canonical-json.js';
import type { AcceptableDocument } from '../documents/body-rules.js';
import { splitWords, toSearchKey } from '../documents/search-key.js';
import type { SubmissionType } from '../documents/simplified-document.js';
import { findDocumentIndex, type Problem } from '../errors/problem.js';
import { parseJson } from '../http/parse-json.js';
import type { CollectedWarnings } from '../http/validation/warning-list.js';
import type { ParsedDocument } from './parsed-document.js';
import { readSubmitBody } from './submit-body.js';

// The work on a submit body that needs no database, and all of it that grows with the body. Pure functions of plain
// values, so that they run in the request's own thread or in a worker with one result (submit-workers.ts).

export interface PreparedDocument extends Pick<AcceptableDocument, 'totals' | 'wireBytesMax' | 'mayBeTooLarge'> {
  readonly document: ParsedDocument;
  /** The whole document, as JSON for its row. */
  readonly payload: string;
  /** Normalised number, for searches. */
  readonly numberKey: string;
  /** Normalised words of the buyer's name, for searches; null without a buyer. */
  readonly nameKey: string | null;
}

/** A body that keeps every rule that needs nothing but the body. */
export interface AcceptableSubmit {
  readonly submissionType: SubmissionType;
  readonly documents: readonly PreparedDocument[];
  readonly warnings: CollectedWarnings;
}

/** One that does not. */
export interface RefusedSubmit {
  readonly problems: readonly Problem[];
  /** Of the documents that have a problem, by position. */
  readonly referenceIds: ReadonlyMap<number, string>;
}

/** A JSON body; `bodyHash` is that of its canonical JSON (docs/rules.md#idempotency), in hexadecimal. */
export type PreparedSubmit = { readonly bodyHash: string } & (AcceptableSubmit | RefusedSubmit);

export interface PrepareOptions {
  /** Today's date in Malaysia is that of this instant. */
  readonly now: Date;
  readonly isStrict: boolean;
}

/** The body as it is decided on, from its bytes. */
export function prepareSubmit(bytes: Buffer, { now, isStrict }: PrepareOptions): PreparedSubmit | Malformed {
  const parsed = parseJson(bytes);
  if ('malformed' in parsed) return parsed;
  const { value, repeatedMembers } = parsed;
  const bodyHash = hashBody(value).toString('hex');
  const read = readSubmitBody(value, now, { isStrict, repeatedMembers });
  if ('problems' in read) return { bodyHash, ...read, referenceIds: listReferenceIds(read.problems, value) };
  const { submissionType, documents, warnings } = read;
  return { bodyHash, submissionType, documents: documents.map(toPrepared), warnings: warnings.collect() };
}

export interface Malformed {
  readonly malformed: string;
}

function toPrepared({ document, totals, wireBytesMax, mayBeTooLarge }: AcceptableDocument): PreparedDocument {
  const { documentType, referenceId, documentDate, dateMember, relatedInvoice, recipient } = document;
  const buyer = recipient === null ? null : { tin: recipient.tin };
  const parsed = { documentType, referenceId, documentDate, dateMember, relatedInvoice, recipient: buyer };
  const numberKey = toSearchKey(referenceId);
  const nameKey = recipient === null ? null : splitWords(toSearchKey(recipient.name)).join(' ');
  return {
    document: parsed,
    totals,
    wireBytesMax,
    mayBeTooLarge,
    payload: JSON.stringify(document),
    numberKey,
    nameKey,
  };
}

// Each problem repeats the number of its document, and a number that breaks a rule may have millions of characters.
const REPEATED_CHARACTERS_MAX = 200;

function listReferenceIds(problems: readonly Problem[], body: unknown): ReadonlyMap<number, string> {
  const { documents } = (body ?? {}) as { documents?: ({ referenceId?: unknown } | null)[] };
  const found = new Map<number, string>();
  for (const { pointer } of problems) {
    const index = findDocumentIndex(pointer);
    const referenceId = index === null ? undefined : documents?.[index]?.referenceId;
    if (index === null || typeof referenceId !== 'string') continue;
    if (referenceId.length <= REPEATED_CHARACTERS_MAX) found.set(index, referenceId);
  }
  return found;
}
