import type { ResponsibleParty } from '../../errors/explanation.js';
import { CORRECT_PROFILE, type AuthorityErrorEntry, SUPPLIER_PROFILE, WHOLE_DOCUMENT } from './authority-error.js';

/** The service refuses later requests without an authority call (docs/rules.md#cancellation). */
export const CANCELLATION_WINDOW_CLOSED = 'cancellation_window_closed';

const REPORT: Pick<AuthorityErrorEntry, 'action' | 'actor' | 'resubmit' | 'fieldPath'> = {
  action: 'Contact the operator of this service and quote documentId, then submit the document again.',
  actor: 'operator',
  resubmit: true,
  fieldPath: WHOLE_DOCUMENT,
};
const LATER: { actor: ResponsibleParty; resubmit: boolean; fieldPath: typeof WHOLE_DOCUMENT } = {
  actor: 'authority',
  resubmit: false,
  fieldPath: WHOLE_DOCUMENT,
};
const WAIT = 'No action is needed, because this service retries the call automatically.';
const APPOINT =
  "Appoint this service as intermediary, with the permission to submit, in the authority's taxpayer portal.";

/**
 * Structure and envelope, which the service builds (authority protocol 4.4, 4.5). Most of these errors have no code.
 */
export const STRUCTURE_ERRORS: readonly AuthorityErrorEntry[] = [
  {
    ...REPORT,
    authorityCode: null,
    when: /hash is not valid/i,
    code: 'document_hash_mismatch',
    meaning: 'The authority received a different document from the one that was sent.',
  },
  {
    ...REPORT,
    authorityCode: null,
    when: /Expected:|ItemNotValid|NoAdditionalPropertiesAllowed|could not be converted|Invalid child element/i,
    code: 'document_structure_invalid',
    meaning: "The built document does not have the authority's structure.",
  },
  {
    ...REPORT,
    authorityCode: 'submission',
    when: /TIN/,
    code: 'supplier_tin_mismatch',
    meaning: "The supplier's TIN differs from the TIN of this service's login.",
    action: CORRECT_PROFILE,
    fieldPath: SUPPLIER_PROFILE,
    profileField: 'tin',
  },
  ...['submission', 'ValidationError', 'BadStructure'].map((authorityCode) => ({
    ...REPORT,
    authorityCode,
    code: 'submission_structure_invalid',
    meaning: 'The authority could not read the submission.',
  })),
  {
    ...REPORT,
    authorityCode: 'MaximumSizeExceeded',
    code: 'document_too_large',
    meaning: "The document exceeds the authority's size limit.",
    action: 'Split the lines across several documents, each with its own referenceId.',
    actor: 'caller',
  },
  {
    ...REPORT,
    authorityCode: 'BadArgument',
    code: 'submission_argument_invalid',
    meaning: 'The authority rejected an argument of the call, which its message mentions.',
  },
  {
    ...REPORT,
    authorityCode: 'BadRequest',
    code: 'submission_refused',
    meaning: 'The authority rejected the call. Its message contains the reason.',
  },
];

/** Permissions, limits and outages (authority protocol 3.4, 4.5). The documents wait and do not fail. */
export const ACCESS_ERRORS: readonly AuthorityErrorEntry[] = [
  {
    authorityCode: 'IncorrectSubmitter',
    code: 'submitter_not_permitted',
    meaning: 'This service may not submit for the organisation.',
    action: `${APPOINT} The document is then sent automatically.`,
    actor: 'caller',
    resubmit: false,
    fieldPath: WHOLE_DOCUMENT,
  },
  {
    ...LATER,
    authorityCode: 'DuplicateSubmission',
    code: 'submission_repeated',
    meaning: 'The authority received the same submission in the last ten minutes.',
    action: 'No action is needed, because this service looks up the first submission.',
  },
  {
    ...LATER,
    authorityCode: 'TooManyRequests',
    code: 'authority_call_limit',
    meaning: "The authority's call limit is reached.",
    action: WAIT,
  },
  {
    ...LATER,
    authorityCode: 'InternalServerError',
    code: 'authority_failure',
    meaning: 'The authority failed.',
    action: WAIT,
  },
  {
    ...LATER,
    authorityCode: 'ServiceUnavailable',
    code: 'authority_unavailable',
    meaning: 'The authority is not available.',
    action: WAIT,
  },
];

const NO_LONGER: { resubmit: boolean; fieldPath: typeof WHOLE_DOCUMENT } = {
  resubmit: false,
  fieldPath: WHOLE_DOCUMENT,
};
const NOT_PERMITTED = {
  ...NO_LONGER,
  code: 'cancellation_not_permitted',
  meaning: 'The authority does not allow this service to cancel the document.',
  action: `${APPOINT} Only the issuer's side can cancel. Then request the cancellation again.`,
  actor: 'caller',
  resubmit: true,
} as const;

/** Cancellations (authority protocol 7). These errors concern the whole document. */
export const CANCELLATION_ERRORS: readonly AuthorityErrorEntry[] = [
  {
    ...NO_LONGER,
    authorityCode: 'OperationPeriodOver',
    code: CANCELLATION_WINDOW_CLOSED,
    meaning: 'The document was validated more than 72 hours ago and can no longer be cancelled.',
    action: 'Correct an invoice with a credit note that references it, and a credit note with a new invoice.',
    actor: 'caller',
  },
  {
    ...NO_LONGER,
    authorityCode: 'IncorrectState',
    code: 'document_not_valid',
    meaning: 'The document is not Valid at the authority, so it cannot be cancelled.',
    action:
      "Check the document's status. An invalid or cancelled document does not need a cancellation. Any other document can be cancelled once it is Valid.",
    actor: 'caller',
  },
  {
    ...NO_LONGER,
    authorityCode: 'ActiveReferencingDocuments',
    code: 'active_referencing_documents',
    meaning: 'A valid credit note or another document references the document.',
    action: 'First cancel the documents that reference it, then request the cancellation again.',
    actor: 'caller',
    resubmit: true,
  },
  { ...NOT_PERMITTED, authorityCode: 'Forbidden' },
  { ...NOT_PERMITTED, authorityCode: 'AccessDenied' },
];
