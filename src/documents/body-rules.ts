import type { Problem } from '../errors/problem.js';
import { parseDocumentType } from './document-types.js';
import { DOCUMENT_SIZE, findSizeProblem } from './document-size.js';
import { mayBeTooLarge, estimateWireBytesMax } from './wire-size.js';
import { normaliseParentUuid } from './parent-uuid.js';
import {
  type CheckedDocument,
  type CheckedMember,
  normaliseAmount,
  normaliseOptionalText,
  normaliseText,
  checkRules,
} from './rules/rule.js';
import { DOCUMENT_RULES, readDateFacts, chooseDateMember } from './rules/document-rules.js';
import { LINE_RULES, type LineFacts, hasSettledAmounts, readLineFacts, toLineItem } from './rules/line-rules.js';
import { RECIPIENT_RULES, type RecipientFacts, readRecipientFacts, toRecipient } from './rules/recipient-rules.js';
import type { DocumentTotals, DocumentType, Named, SimplifiedDocument, SubmissionType } from './simplified-document.js';
import { type TotalsInSen, toResponseTotals, computeTotals } from './totals.js';

export interface AcceptableDocument {
  readonly document: SimplifiedDocument;
  readonly totals: DocumentTotals;
  readonly wireBytesMax: number;
  /** Whether the size must be checked with the supplier's profile. */
  readonly mayBeTooLarge: boolean;
}

export interface RequestFacts {
  /** Null if malformed or missing. A missing recipient is then not reported. */
  readonly submissionType: SubmissionType | null;
  /** Date in Malaysia, `YYYY-MM-DD`. */
  readonly today: string;
  /** Index of the first document with each type and number. Each call adds its document. */
  readonly indexByReference: Map<string, number>;
}

export const MEANING_RULE_IDS: readonly string[] = [
  ...new Set([...DOCUMENT_RULES, ...RECIPIENT_RULES, ...LINE_RULES].map(({ rule }) => rule)),
  DOCUMENT_SIZE,
];

/**
 * Appends a problem for each broken rule. Returns null if there is a problem, including those that `problems`
 * already contains.
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

type UntypedDocument = Omit<SimplifiedDocument, 'documentType'> & { readonly documentType: DocumentType | null };

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

function areAmountsSettled(sent: CheckedDocument, lines: readonly (LineFacts | null)[]): boolean {
  if (lines.length === 0 || sent.totalDiscountAmount === null || sent.totalRoundingAmount === null) return false;
  return lines.every((line) => line !== null && hasSettledAmounts(line));
}

/** Returns the index of the first document with the same type and number, or registers this document. */
function findFirstUse(sent: CheckedDocument, index: number, indexByReference: Map<string, number>): number | null {
  if (typeof sent.documentType !== 'string' || typeof sent.referenceId !== 'string') return null;
  // Neither part can contain a line break.
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
