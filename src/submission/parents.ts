import type { Problem } from '../errors/problem.js';
import { DOCUMENT_TYPE_ROWS } from '../documents/document-types.js';
import { GENERAL_PUBLIC_TIN } from '../documents/identity.js';
import { BEFORE_E_INVOICING } from '../documents/parent-uuid.js';
import { CONSOLIDATED_APART } from '../documents/rules/rule.js';
import type { DocumentType, RelatedInvoice } from '../documents/simplified-document.js';
import { type AttemptState, getAttemptState } from '../documents/statuses.js';
import { toDocumentKey, type IssuedDocument, type StoredDocument, type StoredDocuments } from './stored-documents.js';
import type { ParsedDocument } from './parsed-document.js';

/**
 * References an invoice by the authority's uuid, or by `NA` if it predates e-invoicing. A held note has no
 * reference yet.
 */
export type Parent = { readonly authorityUuid: string } | { readonly isNotYetIssued: true };

/** Parents by the position of their credit note in the request. */
export type Parents = ReadonlyMap<number, Parent>;

/**
 * Finds the parents of credit notes (docs/rules.md#credit-notes). If a note states the authority's uuid, finds the
 * parent by uuid. Otherwise finds it by number, in this request first and then in stored documents. Returns a problem
 * for each note that must not reference its parent.
 */
export function resolveParents(
  documents: readonly { document: ParsedDocument }[],
  stored: StoredDocuments,
): { readonly parents: Parents; readonly problems: readonly Problem[] } {
  const here = new Map<string, ParsedDocument>();
  for (const { document } of documents) here.set(toDocumentKey(document.documentType, document.referenceId), document);
  const parents = new Map<number, Parent>();
  const problems: Problem[] = [];
  documents.forEach(({ document }, index) => {
    const { parentType } = DOCUMENT_TYPE_ROWS[document.documentType];
    if (parentType === null || document.relatedInvoice === null) return;
    const found = resolveParent(document, { parentType, ...document.relatedInvoice }, { here, stored });
    if ('rule' in found) problems.push(buildProblem(found, index));
    else parents.set(index, found);
  });
  return { parents, problems };
}

type Refusal = Omit<Problem, 'pointer'> & {
  readonly hint: string;
  /** Member of `relatedInvoice` to which the problem points. Default: `referenceId`. */
  readonly member?: keyof RelatedInvoice;
};

function buildProblem({ member = 'referenceId', ...refusal }: Refusal, index: number): Problem {
  return { pointer: `/documents/${index}/relatedInvoice/${member}`, ...refusal };
}

type Named = RelatedInvoice & { readonly parentType: DocumentType };

interface Candidates {
  /** Documents of this request, keyed by `toDocumentKey`. */
  readonly here: ReadonlyMap<string, ParsedDocument>;
  readonly stored: StoredDocuments;
}

function resolveParent(note: ParsedDocument, named: Named, candidates: Candidates): Parent | Refusal {
  const { referenceId, authorityUuid } = named;
  if (authorityUuid === BEFORE_E_INVOICING) return refuseOwnInvoice(note, named, candidates) ?? { authorityUuid };
  if (authorityUuid !== null) {
    const issued = candidates.stored.findIssued(authorityUuid);
    if (issued === undefined) return { authorityUuid };
    return findMismatch(note, named, { issued, candidates }) ?? judgeParent(note, issued);
  }
  const identity = toDocumentKey(named.parentType, referenceId);
  const parentHere = candidates.here.get(identity);
  if (parentHere !== undefined) return refuseOtherBuyer(note, getBuyerTin(parentHere), referenceId) ?? NOT_YET_ISSUED;
  const document = candidates.stored.find(named.parentType, referenceId);
  return document === undefined ? UNKNOWN : judgeParent(note, { document, attempt: document });
}

export const PARENT_OTHER_UUID = 'related_invoice_other_uuid';

/** Warns if a note states the number of a stored invoice with a uuid that belongs to none of its attempts. */
export function warnOfForeignUuids(
  documents: readonly { document: ParsedDocument }[],
  stored: StoredDocuments,
): Problem[] {
  return documents.flatMap(({ document: note }, index) => {
    const { documentType, relatedInvoice } = note;
    const { parentType } = DOCUMENT_TYPE_ROWS[documentType];
    const authorityUuid = relatedInvoice?.authorityUuid ?? null;
    if (parentType === null || relatedInvoice === null || authorityUuid === null) return [];
    if (authorityUuid === BEFORE_E_INVOICING || stored.findIssued(authorityUuid) !== undefined) return [];
    const own = stored.find(parentType, relatedInvoice.referenceId);
    if (own === undefined) return [];
    return [
      {
        pointer: `/documents/${index}/relatedInvoice/authorityUuid`,
        rule: PARENT_OTHER_UUID,
        message: `is not the authority's id of ${describe(own)}, which was submitted through this service; the authority will probably refuse it`,
        hint: `if ${own.referenceId} is meant, ${adviseForOwn(note, own)}`,
      },
    ];
  });
}

const LEAVE_UUID_OUT = 'leave authorityUuid out';

function describe({ documentType, referenceId, authorityStatus, submissionStatus }: StoredDocument): string {
  return `${documentType} ${referenceId} (${authorityStatus ?? submissionStatus})`;
}

/** Advises how to reference a stored invoice that was not identified by its number alone. */
function adviseForOwn(note: ParsedDocument, own: StoredDocument): string {
  const judged = judgeParent(note, { document: own, attempt: own });
  return 'rule' in judged ? judged.hint : LEAVE_UUID_OUT;
}

/** Rejects `NA` for an invoice of this service. */
function refuseOwnInvoice(
  note: ParsedDocument,
  { parentType, referenceId }: Named,
  { here, stored }: Candidates,
): Refusal | null {
  if (here.has(toDocumentKey(parentType, referenceId))) {
    return buildOwnRefusal(`${parentType} ${referenceId} of this request`, LEAVE_UUID_OUT);
  }
  const own = stored.find(parentType, referenceId);
  if (own === undefined) return null;
  return buildOwnRefusal(`${describe(own)}, which was submitted through this service`, adviseForOwn(note, own));
}

function buildOwnRefusal(invoice: string, hint: string): Refusal {
  return {
    member: 'authorityUuid',
    rule: 'related_invoice_not_before_e_invoicing',
    message: `must not be ${BEFORE_E_INVOICING} for ${invoice}`,
    hint,
  };
}

/** Rejects a uuid and a number that belong to different documents, and a uuid of the wrong document type. */
function findMismatch(
  note: ParsedDocument,
  { parentType, referenceId }: Named,
  { issued, candidates }: { readonly issued: IssuedDocument; readonly candidates: Candidates },
): Refusal | null {
  const { document } = issued;
  const toNamed = findWayToNamed(note, { parentType, referenceId }, candidates);
  if (document.documentType !== parentType) {
    return {
      member: 'authorityUuid',
      rule: 'related_invoice_other_type',
      message: `belongs to ${describe(document)}, which is not an ${parentType}`,
      hint: `a credit note corrects an ${parentType}; if that is ${referenceId}, ${toNamed}`,
    };
  }
  if (document.referenceId === referenceId) return null;
  const toIssued = judgeParent(note, issued);
  const todo = 'rule' in toIssued ? toIssued.hint : 'send that number';
  return {
    rule: 'related_invoice_other_reference',
    message: `does not match authorityUuid, which belongs to ${describe(document)}`,
    hint: `if ${document.referenceId} is meant, ${todo}; if ${referenceId} is meant, ${toNamed}`,
  };
}

/** Advises how to correct the uuid if the number is correct. */
function findWayToNamed(
  note: ParsedDocument,
  { parentType, referenceId }: Pick<Named, 'parentType' | 'referenceId'>,
  { here, stored }: Candidates,
): string {
  if (here.has(toDocumentKey(parentType, referenceId))) return LEAVE_UUID_OUT;
  const own = stored.find(parentType, referenceId);
  return own === undefined ? 'send its own authorityUuid' : adviseForOwn(note, own);
}

const NOT_YET_ISSUED: Parent = { isNotYetIssued: true };

const UNKNOWN: Refusal = {
  rule: 'related_invoice_unknown',
  message: 'names an invoice that was not issued through this service in this environment',
  hint:
    'check the number; for an invoice that was issued elsewhere, send its relatedInvoice.authorityUuid, or ' +
    `${BEFORE_E_INVOICING} if it is from before e-invoicing`,
};

/** Decides whether a note may reference an attempt. All attempts except the current one have ended. */
function judgeParent(note: ParsedDocument, { document, attempt }: IssuedDocument): Parent | Refusal {
  const forbidden = attempt.hasCancellationUnderWay
    ? BEING_CANCELLED
    : refuseOtherBuyer(note, attempt.buyerTin, document.referenceId);
  if (forbidden !== null) return forbidden;
  const state = getAttemptState(attempt);
  if (state === 'valid' && attempt.authorityUuid !== null) return { authorityUuid: attempt.authorityUuid };
  const ended = ENDED[state];
  if (ended === undefined) return NOT_YET_ISSUED;
  if (attempt.authorityUuid === document.authorityUuid) return ended;
  return { ...ended, hint: `the invoice was submitted again: ${adviseForOwn(note, document)}` };
}

const BEING_CANCELLED: Refusal = {
  rule: 'related_invoice_being_cancelled',
  message: 'names an invoice that is being cancelled',
  hint: 'wait for the cancellation to end: a cancelled invoice needs no credit note',
};

const NEVER_ISSUED = 'submit the invoice again with the right amounts; it then needs no credit note';

const ENDED: Partial<Record<AttemptState, Refusal>> = {
  invalid: buildEndedRefusal('Invalid', NEVER_ISSUED),
  cancelled: buildEndedRefusal('Cancelled', 'leave the credit note out: a cancelled invoice needs none'),
  submitFailed: buildEndedRefusal('SubmitFailed', NEVER_ISSUED),
};

function buildEndedRefusal(status: string, hint: string): Refusal {
  return {
    rule: 'related_invoice_ended',
    message: `names an invoice that ended ${status}, which a credit note cannot refer to`,
    hint,
  };
}

/** Implements rule DR308 of the authority. */
function refuseOtherBuyer(note: ParsedDocument, parentTin: string, referenceId: string): Refusal | null {
  if (getBuyerTin(note) === parentTin) return null;
  return {
    rule: 'related_invoice_other_buyer',
    message: 'names an invoice to another buyer; a credit note must have the buyer of its invoice',
    hint: `send the number of the invoice to this buyer; or ${describeBuyer(note, parentTin, referenceId)}`,
  };
}

/** Only a consolidated note may have the buyer of a consolidated invoice. */
function describeBuyer({ recipient }: ParsedDocument, parentTin: string, referenceId: string): string {
  const buyer = `the buyer of invoice ${referenceId}, whose TIN is ${parentTin}`;
  if (recipient === null) return `credit ${buyer}, in a separate request with submission_type non-consolidated`;
  if (parentTin !== GENERAL_PUBLIC_TIN) return `send ${buyer}`;
  return `send ${buyer}; if the invoice is consolidated, send the note ${CONSOLIDATED_APART}`;
}

function getBuyerTin(document: ParsedDocument): string {
  return document.recipient?.tin ?? GENERAL_PUBLIC_TIN;
}
