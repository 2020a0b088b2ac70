import type { ResponsibleParty } from '../../errors/explanation.js';
import { type AuthorityErrorEntry, SUPPLIER_PROFILE, CORRECT_PROFILE, WHOLE_DOCUMENT } from './authority-error.js';

const CALLER: { actor: ResponsibleParty; resubmit: boolean } = { actor: 'caller', resubmit: true };
const BUYER: { actor: ResponsibleParty; resubmit: boolean } = { actor: 'buyer', resubmit: true };
const OPERATOR: { actor: ResponsibleParty; resubmit: boolean } = { actor: 'operator', resubmit: true };

const DUPLICATE = {
  code: 'document_duplicate',
  meaning:
    'The authority has a document of the same number, type, supplier and time of issue from the last two hours; its text names it.',
  action:
    'First look up the other document: if it is valid, do not submit this one again. Otherwise submit it again; this service gives it a new time of issue.',
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
    meaning: "A code is not in the authority's list, or was not in use at the time of issue.",
    action: 'Send another code of the list that the text names.',
    fieldPath: WHOLE_DOCUMENT,
  },
  {
    ...CALLER,
    authorityCode: 'CV316',
    code: 'state_outside_malaysia',
    meaning: 'A state of Malaysia is stated for an address outside Malaysia.',
    action:
      'For an address in Malaysia, send country MYS with its state; for an address abroad, the name of the state there, or no state.',
    fieldPath: '/recipient/state',
  },
  {
    ...CALLER,
    authorityCode: 'CV317',
    code: 'state_required_in_malaysia',
    meaning: 'State code 17 (not applicable) is used for an address in Malaysia.',
    action:
      "For an address in Malaysia, send the slug of the buyer's state, such as selangor; for an address abroad, its country.",
    fieldPath: '/recipient/state',
  },
];

/** Taxpayers and general TINs (authority protocol 14.2). */
export const TAXPAYER_ERRORS: readonly AuthorityErrorEntry[] = [
  {
    ...CALLER,
    authorityCode: 'ERR205',
    code: 'buyer_id_required',
    meaning: 'With a general TIN the buyer needs an id; NA is not accepted.',
    action: "Send the buyer's nric, passport or army number, or for a company its own TIN and brn.",
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
    action: 'Submit the document in a separate request with submission_type consolidated, which states that TIN.',
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
    meaning: 'The parent invoice has a status that no document may refer to, such as invalid or cancelled.',
    action:
      'A cancelled or invalid invoice needs no credit note: submit an invalid one again with the right amounts. Otherwise send the referenceId of a valid invoice.',
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
  action: 'This service states every amount in MYR: report this to its operator, then submit the document again.',
  fieldPath: WHOLE_DOCUMENT,
} as const;

/** Currencies (authority protocol 12.4, 14.2), which the service writes itself. */
export const CURRENCY_ERRORS: readonly AuthorityErrorEntry[] = [
  {
    ...CURRENCY,
    authorityCode: 'DC501',
    code: 'tax_currency_mismatch',
    meaning: "A tax amount has another currency than the document's tax currency.",
  },
  {
    ...CURRENCY,
    authorityCode: 'DC502',
    code: 'amount_currency_mismatch',
    meaning: 'An amount has another currency than the document.',
  },
  {
    ...CURRENCY,
    authorityCode: 'DC511',
    code: 'exchange_currency_invalid',
    meaning: 'The exchange rate is not to MYR.',
  },
];
