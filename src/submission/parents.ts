import { ValidationError } from '../common/errors.js';
import type { Problem } from '../common/problem.js';
import { DOCUMENT_TYPE_ROWS } from '../documents/document-types.js';
import { GENERAL_PUBLIC_TIN } from '../documents/identity.js';
import type { DocumentType, RelatedInvoice, SimplifiedDocument } from '../documents/simplified-document.js';
import { type AttemptState, attemptStateOf } from '../documents/statuses.js';
import { identityOf, type KnownDocument, type KnownDocuments } from './known-documents.js';

/** How a credit note refers to its parent: by the authority's uuid, or not yet, since the parent is on its way. */
export type Parent = { readonly authorityUuid: string } | { readonly isOnItsWay: true };

/** The parent of each credit note, by the note's position in the request. */
export type Parents = ReadonlyMap<number, Parent>;

/**
 * Finds the parents of a batch's credit notes (D6): by the uuid that the caller gave, else the tenant's own invoice, in
 * this request before an earlier one.
 * @throws ValidationError (400) naming every note whose parent cannot be referred to
 */
export function resolveParents(documents: readonly { document: SimplifiedDocument }[], known: KnownDocuments): Parents {
  const here = new Map<string, SimplifiedDocument>();
  for (const { document } of documents) here.set(identityOf(document.documentType, document.referenceId), document);
  const parents = new Map<number, Parent>();
  const problems: Problem[] = [];
  documents.forEach(({ document }, index) => {
    const { parentType } = DOCUMENT_TYPE_ROWS[document.documentType];
    if (parentType === null || document.relatedInvoice === null) return;
    const found = resolveParent(document, { parentType, ...document.relatedInvoice }, { here, known });
    if ('rule' in found) problems.push({ pointer: `/documents/${index}/relatedInvoice/referenceId`, ...found });
    else parents.set(index, found);
  });
  if (problems.length > 0) {
    throw new ValidationError(problems, (index) => documents[index]?.document.referenceId ?? null);
  }
  return parents;
}

type Refusal = Omit<Problem, 'pointer'>;

interface Candidates {
  /** The documents of this request, by identity. */
  readonly here: ReadonlyMap<string, SimplifiedDocument>;
  readonly known: KnownDocuments;
}

function resolveParent(
  note: SimplifiedDocument,
  { parentType, referenceId, authorityUuid }: RelatedInvoice & { readonly parentType: DocumentType },
  { here, known }: Candidates,
): Parent | Refusal {
  if (authorityUuid !== null) return refusalOf(note, known.findIssued(authorityUuid)) ?? { authorityUuid };
  const parentHere = here.get(identityOf(parentType, referenceId));
  if (parentHere !== undefined) return otherBuyer(note, buyerTinOf(parentHere), referenceId) ?? ON_ITS_WAY;
  const parent = known.find(parentType, referenceId);
  return parent === undefined ? UNKNOWN : (refusalOf(note, parent) ?? standingOf(parent));
}

const ON_ITS_WAY: Parent = { isOnItsWay: true };

const UNKNOWN: Refusal = {
  rule: 'related_invoice_unknown',
  message: 'names an invoice that was not issued through this service in this environment',
  hint: "give relatedInvoice.authorityUuid, the authority's id of the invoice, when it was issued elsewhere",
};

function standingOf(parent: KnownDocument): Parent | Refusal {
  const state = attemptStateOf(parent);
  if (state === 'valid' && parent.authorityUuid !== null) return { authorityUuid: parent.authorityUuid };
  return ENDED[state] ?? ON_ITS_WAY;
}

const ENDED: Partial<Record<AttemptState, Refusal>> = {
  invalid: ended('Invalid'),
  cancelled: ended('Cancelled'),
  submitFailed: ended('SubmitFailed'),
};

function ended(status: string): Refusal {
  return {
    rule: 'related_invoice_ended',
    message: `names an invoice that ended ${status}, which a credit note cannot refer to`,
    hint: 'submit the invoice again and wait until it is Valid',
  };
}

/** What forbids a note to refer to a parent that is ours, whichever way it was named. */
function refusalOf(note: SimplifiedDocument, parent: KnownDocument | undefined): Refusal | null {
  if (parent === undefined) return null;
  if (!parent.hasCancellationUnderWay) return otherBuyer(note, parent.buyerTin, parent.referenceId);
  return {
    rule: 'related_invoice_being_cancelled',
    message: 'names an invoice whose cancellation is under way',
    hint: 'wait for the cancellation to end',
  };
}

/** The authority's rule DR308. */
function otherBuyer(note: SimplifiedDocument, parentTin: string, referenceId: string): Refusal | null {
  if (buyerTinOf(note) === parentTin) return null;
  return {
    rule: 'related_invoice_other_buyer',
    message: "names an invoice to another buyer; a credit note's buyer must be its invoice's",
    hint: `use the buyer TIN of invoice ${referenceId}`,
  };
}

function buyerTinOf(document: SimplifiedDocument): string {
  return document.recipient?.tin ?? GENERAL_PUBLIC_TIN;
}
