import { DOCUMENT_TYPE_ROWS } from '../documents/document-types.js';
import { BEFORE_E_INVOICING } from '../documents/parent-uuid.js';
import { toRinggit, toSen } from '../common/decimal.js';
import type { DocumentType } from '../documents/simplified-document.js';
import type { Problem } from '../errors/problem.js';
import { type StoredDocuments, toDocumentKey } from './stored-documents.js';
import type { ParsedDocument } from './parsed-document.js';

/** A document with credit notes. `creditedSen` is null if there are too many notes to add up. */
export interface CreditedParent {
  readonly documentType: DocumentType;
  readonly referenceId: string;
  readonly documentDate: string;
  readonly payableSen: number;
  readonly creditedSen: number | null;
}

export const PARENT_EXCEEDED = 'related_invoice_exceeded';
export const DATE_BEFORE_PARENT = 'document_date_before_related_invoice';

type Documents = readonly { document: ParsedDocument; totals: { readonly totalPayableAmount: number } }[];

function listNotes(documents: Documents) {
  return documents.flatMap(({ document, totals }, index) => {
    const { documentType, relatedInvoice } = document;
    const { parentType } = DOCUMENT_TYPE_ROWS[documentType];
    if (parentType === null || relatedInvoice === null || relatedInvoice.authorityUuid === BEFORE_E_INVOICING)
      return [];
    const { referenceId, authorityUuid } = relatedInvoice;
    return [{ index, document, parentType, referenceId, authorityUuid, sen: toSen(totals.totalPayableAmount) }];
  });
}

/** Warns if credit notes exceed the remaining amount of their invoice after earlier notes of the request. */
export function warnOfExceeded(
  documents: Documents,
  stored: StoredDocuments,
  parents: readonly CreditedParent[],
): Problem[] {
  const left = new Map<string, number>();
  for (const { documentType, referenceId, payableSen, creditedSen } of parents) {
    if (creditedSen !== null) left.set(toDocumentKey(documentType, referenceId), payableSen - creditedSen);
  }
  // A document of this request replaces a failed attempt, which has no credit notes.
  for (const { document, totals } of documents) {
    left.set(toDocumentKey(document.documentType, document.referenceId), toSen(totals.totalPayableAmount));
  }
  return listNotes(documents).flatMap(({ index, parentType, referenceId, authorityUuid, sen }) => {
    if (!isOwnParent(authorityUuid, stored)) return [];
    const parent = toDocumentKey(parentType, referenceId);
    const before = left.get(parent);
    if (before === undefined) return [];
    left.set(parent, before - sen);
    return sen <= before ? [] : [buildWarning({ index, referenceId, sen, left: Math.max(0, before) })];
  });
}

/** Warns if a credit note is dated before its invoice. */
export function warnOfEarlierDates(
  documents: Documents,
  stored: StoredDocuments,
  parents: readonly CreditedParent[],
): Problem[] {
  const dates = new Map<string, string | undefined>();
  for (const parent of [...parents, ...documents.map(({ document }) => document)]) {
    dates.set(toDocumentKey(parent.documentType, parent.referenceId), parent.documentDate);
  }
  return listNotes(documents).flatMap(({ index, document, parentType, referenceId, authorityUuid }) => {
    const parentDate = dates.get(toDocumentKey(parentType, referenceId));
    if (parentDate === undefined || document.documentDate >= parentDate) return [];
    return isOwnParent(authorityUuid, stored) ? [buildDateWarning({ index, document, referenceId, parentDate })] : [];
  });
}

function isOwnParent(authorityUuid: string | null, stored: StoredDocuments): boolean {
  return authorityUuid === null || stored.findIssued(authorityUuid) !== undefined;
}

interface EarlierNote {
  readonly index: number;
  readonly document: ParsedDocument;
  readonly referenceId: string;
  readonly parentDate: string;
}

function buildDateWarning({ index, document, referenceId, parentDate }: EarlierNote): Problem {
  return {
    pointer: `/documents/${index}/${document.dateMember ?? 'document_date'}`,
    rule: DATE_BEFORE_PARENT,
    message: `is before ${parentDate}, the date of invoice ${referenceId}, which the credit note corrects`,
    hint: `send the date of the credit note, ${parentDate} or later; or correct relatedInvoice.referenceId`,
  };
}

interface Exceeded {
  readonly index: number;
  readonly referenceId: string;
  readonly sen: number;
  readonly left: number;
}

function buildWarning({ index, referenceId, sen, left }: Exceeded): Problem {
  return {
    pointer: `/documents/${index}/relatedInvoice/referenceId`,
    rule: PARENT_EXCEEDED,
    message: `names invoice ${referenceId}, which has ${format(left)} left to credit, less than the ${format(sen)} of this credit note`,
    hint: `check whether the invoice has been credited already; credit at most ${format(left)}`,
  };
}

function format(sen: number): string {
  return `RM ${toRinggit(sen).toFixed(2)}`;
}
