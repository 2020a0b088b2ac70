import type { Problem } from '../errors/problem.js';
import { parseDocumentType } from './document-types.js';
import { DOCUMENT_SIZE, mayBeTooLarge, findSizeProblem } from './document-size.js';
import { normaliseParentUuid } from './parent-uuid.js';
import {
  type CheckedDocument,
  type CheckedMember,
  normaliseAmount,
  normaliseOptionalText,
  normaliseText,
} from './rules/checked-document.js';
import { DOCUMENT_RULES, readDateFacts, chooseDateMember } from './rules/document-rules.js';
import { LINE_RULES, type LineFacts, hasSettledAmounts, readLineFacts, toLineItem } from './rules/line-rules.js';
import { RECIPIENT_RULES, type RecipientFacts, readRecipientFacts, toRecipient } from './rules/recipient-rules.js';
import { checkRules } from './rules/rule.js';
import type { DocumentTotals, DocumentType, Named, SimplifiedDocument, SubmissionType } from './simplified-document.js';
import { type TotalsInSen, toResponseTotals, computeTotals } from './totals.js';
import { estimateWireBytesMax } from './wire-size.js';

/** A document after every body rule (docs/rules.md#body-rules). */
export interface AcceptableDocument {
  readonly document: SimplifiedDocument;
  readonly totals: DocumentTotals;
  /** Upper bound of its bytes in the authority's submit call. */
  readonly wireBytesMax: number;
  /** Whether only its issuer's own profile shows that it fits into the authority's limit. */
  readonly mayBeTooLarge: boolean;
}

/** What the documents of one request share. */
export interface RequestFacts {
  /** null when it is broken or missing: the recipients are then judged when they are there, and not missed. */
  readonly submissionType: SubmissionType | null;
  /** Today in Malaysia, `YYYY-MM-DD`. */
  readonly today: string;
  /** The first index of each (documentType, referenceId) so far; each document adds its own. */
  readonly indexByReference: Map<string, number>;
}

/** Every identifier of the meaning rules, in the order of their tables. */
export const MEANING_RULE_IDS: readonly string[] = [
  ...new Set([...DOCUMENT_RULES, ...RECIPIENT_RULES, ...LINE_RULES].map(({ rule }) => rule)),
  DOCUMENT_SIZE,
];

/**
 * Judges the meaning of a document whose shape was looked at, and appends every broken rule to `problems`, which hold
 * this document's broken shape and nothing else. Gives null when the document has any problem.
 */
export function acceptDocument(
  sent: CheckedDocument,
  index: number,
  request: RequestFacts,
  problems: Problem[],
): AcceptableDocument | null {
  const pointer = `/documents/${index}`;
  const recipient = sent.recipient ? readRecipientFacts(sent.recipient) : null;
  const lines = (sent.lineItems ?? []).map((line) => (line === null ? null : readLineFacts(line)));
  const date = readDateFacts(sent);
  const document = normaliseDocument(sent, request.submissionType, {
    documentDate: date.documentDate,
    recipient,
    lines,
  });
  const totals = areAmountsSettled(sent, lines) ? computeTotals(document) : null;
  const sameAs = findFirstUse(sent, index, request.indexByReference);
  const facts = { sent, recipient, submissionType: request.submissionType, today: request.today, sameAs, totals };

  checkRules(DOCUMENT_RULES, { ...facts, ...date }, pointer, problems);
  if (recipient !== null) checkRules(RECIPIENT_RULES, recipient, `${pointer}/recipient`, problems);
  for (const [position, line] of lines.entries()) {
    if (line !== null) checkRules(LINE_RULES, line, `${pointer}/lineItems/${position}`, problems);
  }
  if (problems.length > 0 || totals === null || !hasType(document)) return null;
  return checkSize(document, totals, pointer, problems);
}

function hasType(document: UntypedDocument): document is SimplifiedDocument {
  return document.documentType !== null;
}

interface Parts {
  readonly documentDate: string | null;
  readonly recipient: RecipientFacts | null;
  readonly lines: readonly (LineFacts | null)[];
}

/** A document whose type may be broken, of which its totals do not depend. */
type UntypedDocument = Omit<SimplifiedDocument, 'documentType'> & { readonly documentType: DocumentType | null };

/** The document as it is kept (docs/rules.md#body-rules). Complete only when nothing about it is broken. */
function normaliseDocument(
  sent: CheckedDocument,
  submissionType: SubmissionType | null,
  parts: Parts,
): Named<UntypedDocument> {
  const { relatedInvoice } = sent;
  return {
    submissionType: submissionType ?? 'non-consolidated',
    documentType: parseDocumentType(sent.documentType),
    referenceId: normaliseText(sent.referenceId),
    documentDate: parts.documentDate ?? '',
    dateMember: chooseDateMember(sent) === 'documentDate' ? 'documentDate' : undefined,
    recipient: parts.recipient === null ? null : toRecipient(parts.recipient),
    lineItems: parts.lines.filter((line) => line !== null).map(toLineItem),
    totalDiscountAmount: normaliseAmount(sent.totalDiscountAmount),
    totalRoundingAmount: normaliseAmount(sent.totalRoundingAmount),
    paymentTerms: normaliseOptionalText(sent.paymentTerms) ?? undefined,
    relatedInvoice: relatedInvoice
      ? {
          referenceId: normaliseText(relatedInvoice.referenceId),
          authorityUuid: normaliseUuid(relatedInvoice.authorityUuid),
        }
      : null,
  };
}

function normaliseUuid(sent: CheckedMember<string>): string | null {
  return sent === undefined || sent === null ? null : normaliseParentUuid(sent);
}

/** Whether totals may be computed: a sum over a broken amount would only repeat that amount's problem. */
function areAmountsSettled(sent: CheckedDocument, lines: readonly (LineFacts | null)[]): boolean {
  if (lines.length === 0 || sent.totalDiscountAmount === null || sent.totalRoundingAmount === null) return false;
  return lines.every((line) => line !== null && hasSettledAmounts(line));
}

/** The earlier document of the request with the same type and number; remembers this one when there is none. */
function findFirstUse(sent: CheckedDocument, index: number, indexByReference: Map<string, number>): number | null {
  if (typeof sent.documentType !== 'string' || typeof sent.referenceId !== 'string') return null;
  // Neither part can hold a line break.
  const reference = `${sent.documentType}\n${normaliseText(sent.referenceId)}`;
  const earlier = indexByReference.get(reference);
  if (earlier === undefined) indexByReference.set(reference, index);
  return earlier ?? null;
}

function checkSize(
  document: SimplifiedDocument,
  totals: TotalsInSen,
  pointer: string,
  problems: Problem[],
): AcceptableDocument | null {
  const wireBytesMax = estimateWireBytesMax(document);
  const isInDoubt = mayBeTooLarge(document, wireBytesMax);
  const problem = isInDoubt ? findSizeProblem(document) : null;
  if (problem === null) {
    return { document, totals: toResponseTotals(totals), wireBytesMax, mayBeTooLarge: isInDoubt };
  }
  problems.push({ pointer, ...problem });
  return null;
}
