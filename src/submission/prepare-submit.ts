import { hashBody } from '../common/canonical-json.js';
import type { AcceptableDocument } from '../documents/body-rules.js';
import { splitWords, toSearchKey } from '../documents/search-key.js';
import type { SubmissionType, SimplifiedDocument, Supplier } from '../documents/simplified-document.js';
import { findDocumentIndex, type Problem } from '../errors/problem.js';
import { parseJson } from '../http/parse-json.js';
import type { CollectedWarnings } from '../http/validation/warning-list.js';
import type { ParsedDocument } from './parsed-document.js';
import { readSubmitBody } from './submit-body.js';
import { parseJsonText } from '../common/parse-json-text.js';
import { needsDefaultTaxType, TAX_EXEMPT } from '../documents/authority-document/line-defaults.js';
import { findSizeProblemWith } from '../documents/document-size.js';
import { PROBLEMS_MAX } from '../errors/api-error.js';

// The part of a submit that needs no database and takes longer for larger bodies. Contains only pure functions of plain
// values, because they also run in worker threads (submit-workers.ts).

export interface PreparedDocument extends Pick<AcceptableDocument, 'totals' | 'wireBytesMax' | 'mayBeTooLarge'> {
  readonly document: ParsedDocument;
  readonly payload: string;
  /** Normalised document number for searches. */
  readonly numberKey: string;
  /** Normalised words of the buyer's name for searches. */
  readonly nameKey: string | null;
}

export interface AcceptableSubmit {
  readonly submissionType: SubmissionType;
  readonly documents: readonly PreparedDocument[];
  readonly warnings: CollectedWarnings;
}

export interface RefusedSubmit {
  readonly problems: readonly Problem[];
  /** Document numbers with problems, by position. */
  readonly referenceIds: ReadonlyMap<number, string>;
}

/** `bodyHash` is the hash of the canonical JSON, in hexadecimal (docs/rules.md#idempotency). */
export type PreparedSubmit = { readonly bodyHash: string } & (AcceptableSubmit | RefusedSubmit);

export interface PrepareOptions {
  /** Determines the current date in Malaysia. */
  readonly now: Date;
  readonly isStrict: boolean;
}

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

// Every problem repeats its document number, which may have millions of characters.
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

type Judged = Pick<PreparedDocument, 'payload' | 'mayBeTooLarge'>;

export const LINE_TAX_TYPE_REQUIRED = 'line_tax_type_required';

/** Returns the problems of documents that depend on the issuer's profile (docs/rules.md#order-of-checks). */
export function judgeWithSupplier(documents: readonly Judged[], supplier: Supplier): readonly Problem[] {
  const untyped = supplier.defaultTaxType === TAX_EXEMPT ? findUntypedTax(documents) : [];
  return untyped.length > 0 ? untyped : findOversized(documents, supplier);
}

/** Returns whether `judgeWithSupplier` may find a problem, which is rare. */
export function mustJudgeWith(documents: readonly Judged[], { defaultTaxType }: Supplier): boolean {
  return defaultTaxType === TAX_EXEMPT || documents.some(({ mayBeTooLarge }) => mayBeTooLarge);
}

/** An old profile with the default tax type `E` would turn a charged tax into an exemption (docs/rules.md#amounts). */
function findUntypedTax(documents: readonly Judged[]): readonly Problem[] {
  const problems: Problem[] = [];
  for (const [index, { payload }] of documents.entries()) {
    for (const [position, line] of readPayload(payload).lineItems.entries()) {
      if (problems.length === PROBLEMS_MAX) return problems;
      if (!needsDefaultTaxType(line)) continue;
      problems.push({ pointer: `/documents/${index}/lineItems/${position}/taxType`, ...REQUIRED });
    }
  }
  return problems;
}

const REQUIRED = {
  rule: LINE_TAX_TYPE_REQUIRED,
  message: "is required: the profile's default tax type is E, which is for lines that state their exemption",
  hint: "send the type of the tax, such as 01; or change the profile's default tax type",
};

/**
 * Builds the few documents near the authority's size limit, because their size depends on the
 * issuer (docs/rules.md#body-rules).
 */
function findOversized(documents: readonly Judged[], supplier: Supplier): readonly Problem[] {
  return documents.flatMap(({ payload, mayBeTooLarge }, index) => {
    const problem = mayBeTooLarge ? findSizeProblemWith(supplier, readPayload(payload)) : null;
    return problem === null ? [] : [{ pointer: `/documents/${index}`, ...problem }];
  });
}

function readPayload(payload: string): SimplifiedDocument {
  return parseJsonText(payload) as SimplifiedDocument;
}
