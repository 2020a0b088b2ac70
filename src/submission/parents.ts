import { ValidationError } from '../common/errors.js';
import type { Problem } from '../common/problem.js';
import { GENERAL_PUBLIC_TIN } from '../documents/identity.js';
import type { RelatedInvoice, SimplifiedDocument } from '../documents/simplified-document.js';
import { attemptStateOf } from '../documents/statuses.js';
import type { KnownDocument, KnownDocuments } from './documents.js';

/** The authority's uuid of each credit note's parent, by the note's position in the request. */
export type ParentUuids = ReadonlyMap<number, string>;

interface Resolved {
  readonly authorityUuid: string;
}

/**
 * Finds the parents of a batch's credit notes (D6): by the uuid that the caller gave, else the tenant's own invoice.
 * @throws ValidationError (400) naming every note whose parent cannot be referred to
 */
export function resolveParents(
  documents: readonly { document: SimplifiedDocument }[],
  known: KnownDocuments,
): ParentUuids {
  const invoicesHere = new Set(
    documents.filter(({ document }) => document.documentType === 'invoice').map(({ document }) => document.referenceId),
  );
  const uuids = new Map<number, string>();
  const problems: Problem[] = [];
  documents.forEach(({ document }, index) => {
    if (document.relatedInvoice === null) return;
    const parent = invoicesHere.has(document.relatedInvoice.referenceId)
      ? resolveGiven(document.relatedInvoice, NOT_VALID_YET)
      : resolve(document.relatedInvoice, known);
    const refusal = 'rule' in parent ? parent : refusalOf(document, known.findIssued(parent.authorityUuid));
    if (refusal !== null) problems.push({ pointer: `/documents/${index}/relatedInvoice/referenceId`, ...refusal });
    else if ('authorityUuid' in parent) uuids.set(index, parent.authorityUuid);
  });
  if (problems.length > 0) {
    throw new ValidationError(problems, (index) => documents[index]?.document.referenceId ?? null);
  }
  return uuids;
}

type Refusal = Omit<Problem, 'pointer'>;

const NOT_VALID_YET: Refusal = {
  rule: 'related_invoice_not_valid_yet',
  message: 'names an invoice that is still on its way to the authority',
  hint: 'submit the credit note once the invoice is Valid, or give its authorityUuid',
};

function resolveGiven({ authorityUuid }: RelatedInvoice, otherwise: Refusal): Resolved | Refusal {
  return authorityUuid === null ? otherwise : { authorityUuid };
}

function resolve(relatedInvoice: RelatedInvoice, known: KnownDocuments): Resolved | Refusal {
  const { referenceId, authorityUuid } = relatedInvoice;
  if (authorityUuid !== null) return { authorityUuid };
  const parent = known.find('invoice', referenceId);
  if (parent === undefined) {
    return {
      rule: 'related_invoice_unknown',
      message: 'names an invoice that was not issued through this service in this environment',
      hint: "give relatedInvoice.authorityUuid, the authority's id of the invoice, when it was issued elsewhere",
    };
  }
  if (parent.authorityUuid !== null && attemptStateOf(parent) === 'valid')
    return { authorityUuid: parent.authorityUuid };
  return PARENT_REFUSALS[attemptStateOf(parent)] ?? NOT_VALID_YET;
}

const PARENT_REFUSALS: Partial<Record<ReturnType<typeof attemptStateOf>, Refusal>> = {
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
  if (parent.hasCancellationUnderWay) {
    return {
      rule: 'related_invoice_being_cancelled',
      message: 'names an invoice whose cancellation is under way',
      hint: 'wait for the cancellation to end',
    };
  }
  const buyerTin = note.recipient?.tin ?? GENERAL_PUBLIC_TIN;
  if (parent.buyerTin === buyerTin) return null;
  // The authority's rule DR308.
  return {
    rule: 'related_invoice_other_buyer',
    message: "names an invoice to another buyer; a credit note's buyer must be its invoice's",
    hint: `use the buyer TIN of invoice ${parent.referenceId}`,
  };
}
