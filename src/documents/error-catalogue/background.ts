import type { ResponsibleParty } from '../../errors/explanation.js';
import { type AuthorityErrorEntry, SUPPLIER_PROFILE, CORRECT_PROFILE, WHOLE_DOCUMENT } from './authority-error.js';

const CALLER: { actor: ResponsibleParty; resubmit: boolean } = { actor: 'caller', resubmit: true };
const BUYER: { actor: ResponsibleParty; resubmit: boolean } = { actor: 'buyer', resubmit: true };
const OPERATOR: { actor: ResponsibleParty; resubmit: boolean } = { actor: 'operator', resubmit: true };

const DUPLICATE = {
  code: 'document_duplicate',
  meaning:
    'The authority received a document with the same number, type, supplier and issue time in the last two hours. Its message contains that document.',
  action:
    'First look up the other document. If it is valid, do not submit this document again. Otherwise, submit it again. It then gets a new issue time.',
  actor: 'caller',
  resubmit: false,
  fieldPath: '/referenceId',
} as const;

/** Duplicates (authority protocol 4.7, 14.3). DS302 is also a signature error, so step or text decides. */
export const DUPLICATE_ERRORS: readonly AuthorityErrorEntry[] = [
  { ...DUPLICATE, authorityCode: 'DV302' },
  { ...DUPLICATE, authorityCode: 'DS302', when: /duplicat/i },
];

/** Code lists (authority protocol 14.2). */
export const CODE_LIST_ERRORS: readonly AuthorityErrorEntry[] = [
  {
    ...CALLER,
    authorityCode: 'CV302',
    code: 'code_not_in_list',
    meaning: "A code is not in the authority's list, or was not active at the issue time.",
    action: "Send another code from the list in the authority's message.",
    fieldPath: WHOLE_DOCUMENT,
  },
  {
    ...CALLER,
    authorityCode: 'CV316',
    code: 'state_outside_malaysia',
    meaning: 'An address outside Malaysia contains a Malaysian state.',
    action:
      'For an address in Malaysia, send country MYS and the state. For an address abroad, send the name of its state, or no state.',
    fieldPath: '/recipient/state',
  },
  {
    ...CALLER,
    authorityCode: 'CV317',
    code: 'state_required_in_malaysia',
    meaning: 'State code 17 (not applicable) is used for an address in Malaysia.',
    action:
      "For an address in Malaysia, send the slug of the buyer's state, such as selangor. For an address abroad, send its country.",
    fieldPath: '/recipient/state',
  },
];

/** Taxpayers and general TINs (authority protocol 14.2). */
export const TAXPAYER_ERRORS: readonly AuthorityErrorEntry[] = [
  {
    ...CALLER,
    authorityCode: 'ERR205',
    code: 'buyer_id_required',
    meaning: 'A buyer with a general TIN needs an id, and NA is not accepted.',
    action: "Send the buyer's nric, passport or army number. For a company, send its own TIN and brn.",
    fieldPath: '/recipient/{id}',
  },
  {
    ...BUYER,
    authorityCode: 'ERR206',
    code: 'buyer_id_mismatch',
    meaning: "The buyer's id does not belong to the buyer's TIN in the authority's register.",
    action: 'Ask the buyer for the TIN and the id as they are registered together, and submit the document with both.',
    fieldPath: '/recipient/{id}',
  },
  {
    ...OPERATOR,
    authorityCode: 'ERR208',
    code: 'supplier_tin_general',
    meaning: 'The general TIN EI00000000020 is for foreign buyers, but is used for a foreign supplier.',
    action: CORRECT_PROFILE,
    fieldPath: SUPPLIER_PROFILE,
    profileField: 'tin',
  },
  {
    ...CALLER,
    authorityCode: 'ERR228',
    code: 'general_tin_needs_consolidated',
    meaning: 'The general TIN EI00000000010 is for consolidated documents.',
    action: "Send the buyer's own TIN, or submit the document in a separate request with submission_type consolidated.",
    fieldPath: '/recipient/tin',
  },
  {
    ...CALLER,
    authorityCode: 'ERR236',
    code: 'general_tin_needs_classification',
    meaning: 'The general TIN EI00000000010 with the id NA is only for lines of classification 004.',
    action:
      "Send the buyer's own TIN and id, or submit the document in a separate request with submission_type consolidated.",
    fieldPath: '/recipient/tin',
  },
  {
    ...CALLER,
    authorityCode: 'ERR237',
    code: 'general_tin_for_named_buyer',
    meaning: 'A document for one named buyer cannot have the general TIN EI00000000010.',
    action: "Send the buyer's own TIN, or submit the document in a separate request with submission_type consolidated.",
    fieldPath: '/recipient/tin',
  },
  {
    ...CALLER,
    authorityCode: 'ERR245',
    code: 'general_tin_required',
    meaning: 'Only the general TIN EI00000000010 is accepted here.',
    action:
      'Submit the document in a separate request with submission_type consolidated. The document then contains that TIN.',
    fieldPath: '/recipient/tin',
  },
  {
    ...BUYER,
    authorityCode: 'ERR406',
    code: 'buyer_tin_unknown',
    meaning: "The authority's register does not know the buyer's TIN.",
    action: 'Ask the buyer for the TIN and id of their registration, check them with the TIN check, and submit again.',
    fieldPath: '/recipient/tin',
  },
];

/** Parents of credit notes (authority protocol 14.2). */
export const REFERENCE_ERRORS: readonly AuthorityErrorEntry[] = [
  {
    ...CALLER,
    authorityCode: 'DR303',
    code: 'parent_not_referable',
    meaning: 'The parent invoice has a status that does not allow references, such as invalid or cancelled.',
    action:
      'A cancelled or invalid invoice does not need a credit note. Submit an invalid invoice again with the correct amounts. Otherwise, send the referenceId of a valid invoice.',
    fieldPath: '/relatedInvoice/referenceId',
  },
  {
    ...CALLER,
    authorityCode: 'DR308',
    code: 'parent_buyer_differs',
    meaning: "The buyer is not the parent invoice's buyer.",
    action: "Send the parent's buyer, or the referenceId of an invoice of this buyer.",
    fieldPath: '/recipient/tin',
  },
];

const CURRENCY = {
  ...OPERATOR,
  action:
    'Report this error to the operator of this service, which states every amount in MYR. Then submit the document again.',
  fieldPath: WHOLE_DOCUMENT,
} as const;

/** Currencies (authority protocol 12.4, 14.2), which the service writes itself. */
export const CURRENCY_ERRORS: readonly AuthorityErrorEntry[] = [
  {
    ...CURRENCY,
    authorityCode: 'DC501',
    code: 'tax_currency_mismatch',
    meaning: "The currency of a tax amount differs from the document's tax currency.",
  },
  {
    ...CURRENCY,
    authorityCode: 'DC502',
    code: 'amount_currency_mismatch',
    meaning: "The currency of an amount differs from the document's currency.",
  },
  {
    ...CURRENCY,
    authorityCode: 'DC511',
    code: 'exchange_currency_invalid',
    meaning: 'The exchange rate is not to MYR.',
  },
];
