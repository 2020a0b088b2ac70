import { ValidationError } from '../errors/api-error.js';
import type { Problem } from '../errors/problem.js';
import { DOCUMENT_TYPE_ROWS } from '../documents/document-types.js';
import { GENERAL_PUBLIC_TIN } from '../documents/identity.js';
import { BEFORE_E_INVOICING } from '../documents/parent-uuid.js';
import type { DocumentType, RelatedInvoice } from '../documents/simplified-document.js';
import { type AttemptState, getAttemptState } from '../documents/statuses.js';
import { toDocumentKey, type IssuedDocument, type KnownDocuments } from './known-documents.js';
import type { StatedDocument } from './stated-document.js';

/**
 * How a credit note refers to its parent: by the authority's uuid, or the `NA` that stands for none, or not yet, since
 * the parent is on its way.
 */
export type Parent = { readonly authorityUuid: string } | { readonly isNotYetIssued: true };

/** The parent of each credit note, by the note's position in the request. */
export type Parents = ReadonlyMap<number, Parent>;

/**
 * Finds the parents of a batch's credit notes (docs/rules.md#credit-notes): by the uuid that the caller gave, else the
 * tenant's own invoice, in this request before an earlier one. A parent that is the tenant's own is judged alike,
 * whichever way it was named.
 * @throws ValidationError (400) naming every note whose parent cannot be referred to
 */
export function resolveParents(documents: readonly { document: StatedDocument }[], known: KnownDocuments): Parents {
  const here = new Map<string, StatedDocument>();
  for (const { document } of documents) here.set(toDocumentKey(document.documentType, document.referenceId), document);
  const parents = new Map<number, Parent>();
  const problems: Problem[] = [];
  documents.forEach(({ document }, index) => {
    const { parentType } = DOCUMENT_TYPE_ROWS[document.documentType];
    if (parentType === null || document.relatedInvoice === null) return;
    const found = resolveParent(document, { parentType, ...document.relatedInvoice }, { here, known });
    if ('rule' in found) problems.push(buildProblem(found, index));
    else parents.set(index, found);
  });
  if (problems.length > 0) {
    throw new ValidationError(problems, (index) => documents[index]?.document.referenceId ?? null);
  }
  return parents;
}

type Refusal = Omit<Problem, 'pointer'> & {
  /** Of `relatedInvoice`, to which it points; `referenceId` unless said otherwise. */
  readonly member?: keyof RelatedInvoice;
};

function buildProblem({ member = 'referenceId', ...refusal }: Refusal, index: number): Problem {
  return { pointer: `/documents/${index}/relatedInvoice/${member}`, ...refusal };
}

/** What a note says of its parent, and of which type its parent must be. */
type Named = RelatedInvoice & { readonly parentType: DocumentType };

interface Candidates {
  /** The documents of this request, by identity. */
  readonly here: ReadonlyMap<string, StatedDocument>;
  readonly known: KnownDocuments;
}

function resolveParent(note: StatedDocument, named: Named, candidates: Candidates): Parent | Refusal {
  const { referenceId, authorityUuid } = named;
  if (authorityUuid === BEFORE_E_INVOICING) return judgeOwn(named, candidates) ?? { authorityUuid };
  if (authorityUuid !== null) {
    const issued = candidates.known.findIssued(authorityUuid);
    return issued === undefined ? { authorityUuid } : (findMismatch(named, issued) ?? judgeParent(note, issued));
  }
  const identity = toDocumentKey(named.parentType, referenceId);
  const parentHere = candidates.here.get(identity);
  if (parentHere !== undefined) return isOtherBuyer(note, getBuyerTin(parentHere), referenceId) ?? NOT_YET_ISSUED;
  const document = candidates.known.find(named.parentType, referenceId);
  return document === undefined ? UNKNOWN : judgeParent(note, { document, attempt: document });
}

export const PARENT_OTHER_UUID = 'related_invoice_other_uuid';

/** Warns of notes that name an invoice of the tenant's by its number, with a uuid that none of its attempts has. */
export function warnOfForeignUuids(
  documents: readonly { document: StatedDocument }[],
  known: KnownDocuments,
): Problem[] {
  return documents.flatMap(({ document: { documentType, relatedInvoice } }, index) => {
    const { parentType } = DOCUMENT_TYPE_ROWS[documentType];
    const authorityUuid = relatedInvoice?.authorityUuid ?? null;
    if (parentType === null || relatedInvoice === null || authorityUuid === null) return [];
    if (authorityUuid === BEFORE_E_INVOICING || known.findIssued(authorityUuid) !== undefined) return [];
    const own = known.find(parentType, relatedInvoice.referenceId);
    if (own === undefined) return [];
    return [
      {
        pointer: `/documents/${index}/relatedInvoice/authorityUuid`,
        rule: PARENT_OTHER_UUID,
        message: `is not the authority's id of ${own.referenceId}, which was submitted through this service; the authority will probably refuse it`,
        hint: 'to refer to that invoice, leave authorityUuid out: the service knows it once the invoice is Valid',
      },
    ];
  });
}

/** An invoice that went through this service is not from before e-invoicing, whatever became of it. */
function judgeOwn({ parentType, referenceId }: Named, { here, known }: Candidates): Refusal | null {
  if (!here.has(toDocumentKey(parentType, referenceId)) && known.find(parentType, referenceId) === undefined)
    return null;
  return {
    member: 'authorityUuid',
    rule: 'related_invoice_not_before_e_invoicing',
    message: `must not be ${BEFORE_E_INVOICING} for ${referenceId}, which was submitted through this service`,
    hint: 'leave authorityUuid out: the service knows it once the invoice is Valid',
  };
}

/** Whether uuid and reference of the note name the same document, one of the right type. */
function findMismatch({ parentType, referenceId }: Named, { document }: IssuedDocument): Refusal | null {
  if (document.documentType !== parentType) {
    return {
      member: 'authorityUuid',
      rule: 'related_invoice_other_type',
      message: `is that of ${document.documentType} ${document.referenceId}, and not of an ${parentType}`,
      hint: `give the authorityUuid of the ${parentType}, or leave it out`,
    };
  }
  if (document.referenceId === referenceId) return null;
  return {
    rule: 'related_invoice_other_reference',
    message: `names another invoice than authorityUuid, which is that of ${document.referenceId}`,
    hint: `use ${document.referenceId}, or leave authorityUuid out`,
  };
}

const NOT_YET_ISSUED: Parent = { isNotYetIssued: true };

const UNKNOWN: Refusal = {
  rule: 'related_invoice_unknown',
  message: 'names an invoice that was not issued through this service in this environment',
  hint: "give relatedInvoice.authorityUuid, the authority's id of the invoice, when it was issued elsewhere",
};

/**
 * How a note may refer to a parent that is ours; an attempt that is not the current one has always ended
 * (docs/rules.md#resubmission).
 */
function judgeParent(note: StatedDocument, { document, attempt }: IssuedDocument): Parent | Refusal {
  const forbidden = attempt.hasCancellationUnderWay
    ? BEING_CANCELLED
    : isOtherBuyer(note, attempt.buyerTin, document.referenceId);
  if (forbidden !== null) return forbidden;
  const state = getAttemptState(attempt);
  if (state === 'valid' && attempt.authorityUuid !== null) return { authorityUuid: attempt.authorityUuid };
  const ended = ENDED[state];
  if (ended === undefined) return NOT_YET_ISSUED;
  return attempt.authorityUuid === document.authorityUuid ? ended : { ...ended, hint: RESUBMITTED };
}

const RESUBMITTED = 'leave authorityUuid out: the invoice has been submitted again';

const BEING_CANCELLED: Refusal = {
  rule: 'related_invoice_being_cancelled',
  message: 'names an invoice whose cancellation is under way',
  hint: 'wait for the cancellation to end',
};

const ENDED: Partial<Record<AttemptState, Refusal>> = {
  invalid: describeEnd('Invalid'),
  cancelled: describeEnd('Cancelled'),
  submitFailed: describeEnd('SubmitFailed'),
};

function describeEnd(status: string): Refusal {
  return {
    rule: 'related_invoice_ended',
    message: `names an invoice that ended ${status}, which a credit note cannot refer to`,
    hint: 'submit the invoice again and wait until it is Valid',
  };
}

/** The authority's rule DR308. */
function isOtherBuyer(note: StatedDocument, parentTin: string, referenceId: string): Refusal | null {
  if (getBuyerTin(note) === parentTin) return null;
  return {
    rule: 'related_invoice_other_buyer',
    message: "names an invoice to another buyer; a credit note's buyer must be its invoice's",
    hint: `use the buyer TIN of invoice ${referenceId}`,
  };
}

function getBuyerTin(document: StatedDocument): string {
  return document.recipient?.tin ?? GENERAL_PUBLIC_TIN;
}
