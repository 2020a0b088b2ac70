import type { ResponsibleParty } from '../../errors/explanation.js';
import type { ProfileField } from '../profile-fields.js';
import { CORRECT_PROFILE, type AuthorityErrorEntry, SUPPLIER_PROFILE, WHOLE_DOCUMENT } from './authority-error.js';

const CALLER: { actor: ResponsibleParty; resubmit: boolean } = { actor: 'caller', resubmit: true };
const PROFILE: Pick<AuthorityErrorEntry, 'action' | 'fieldPath' | 'actor' | 'resubmit'> = {
  action: CORRECT_PROFILE,
  fieldPath: SUPPLIER_PROFILE,
  actor: 'operator',
  resubmit: true,
};

function buildProfileEntry(
  authorityCode: string,
  profileField: ProfileField,
  { code, meaning }: Pick<AuthorityErrorEntry, 'code' | 'meaning'>,
): AuthorityErrorEntry {
  return { ...PROFILE, authorityCode, profileField, code, meaning };
}

const PHONE_ACTION = 'Send phone as + and 7 to 19 digits with the country code, such as +60398765432, or leave it out.';
const EMAIL_ACTION =
  'Send email as one address of at most 320 characters, such as ap@pembeli.example, or leave it out.';

const CONTACT_PHONE = {
  ...CALLER,
  code: 'contact_phone_invalid',
  meaning: 'The authority does not accept this phone number.',
  action: PHONE_ACTION,
  fieldPath: '/recipient/phone',
} as const;

/**
 * Errors of core fields at submission (authority protocol 14.2). Public sources disagree about CF321 and CF364, so path
 * and text decide.
 */
export const CORE_FIELD_ERRORS: readonly AuthorityErrorEntry[] = [
  {
    ...PROFILE,
    authorityCode: 'CF321',
    when: /mail/i,
    profileField: 'email',
    code: 'supplier_email_invalid',
    meaning: "The supplier's e-mail address is malformed or too long.",
  },
  {
    ...CALLER,
    authorityCode: 'CF321',
    code: 'issue_time_out_of_range',
    meaning: 'The issue time was in the future or more than 72 hours ago when the authority received the document.',
    action: 'Submit the document again. It then gets a new issue time.',
    fieldPath: '/document_date',
  },
  {
    ...CALLER,
    authorityCode: 'CF324',
    code: 'buyer_nric_invalid',
    meaning: "The buyer's identity number is not a valid NRIC.",
    action:
      'Send nric as 12 digits. For a foreigner, send passport instead. For a company, send entity_type company and its brn.',
    fieldPath: '/recipient/{id}',
  },
  {
    ...CALLER,
    authorityCode: 'CF333',
    code: 'buyer_name_invalid',
    meaning: "The buyer's name is missing or not valid.",
    action: "Send the buyer's registered name with at most 300 characters.",
    fieldPath: '/recipient/name',
  },
  buildProfileEntry('CF334', 'name', {
    code: 'supplier_name_invalid',
    meaning: "The supplier's name is missing or not valid.",
  }),
  buildProfileEntry('CF336', 'country', {
    code: 'supplier_country_missing',
    meaning: "The supplier's country is missing.",
  }),
  {
    ...CALLER,
    authorityCode: 'CF337',
    code: 'buyer_country_missing',
    meaning: "The buyer's country is missing.",
    action: 'Send country as ISO 3166-1 alpha-3, such as MYS.',
    fieldPath: '/recipient/country',
  },
  buildProfileEntry('CF339', 'city', { code: 'supplier_city_missing', meaning: "The supplier's city is missing." }),
  {
    ...CALLER,
    authorityCode: 'CF340',
    code: 'buyer_city_missing',
    meaning: "The buyer's city is missing.",
    action: "Send the city of the buyer's address.",
    fieldPath: '/recipient/city',
  },
  buildProfileEntry('CF342', 'stateCode', {
    code: 'supplier_state_missing',
    meaning: "The supplier's state is missing.",
  }),
  {
    ...CALLER,
    authorityCode: 'CF343',
    code: 'buyer_state_missing',
    meaning: "The buyer's state is missing.",
    action:
      "For an address in Malaysia, send the slug of the buyer's state, such as selangor. For an address abroad, send its country.",
    fieldPath: '/recipient/state',
  },
  buildProfileEntry('CF345', 'addressLine1', {
    code: 'supplier_address_invalid',
    meaning: "A line of the supplier's address is missing or longer than 150 characters.",
  }),
  {
    ...CALLER,
    authorityCode: 'CF346',
    code: 'buyer_address_invalid',
    meaning: "A line of the buyer's address is missing or longer than 150 characters.",
    action: 'Send addressLine1, with at most 150 characters in each address line.',
    fieldPath: '/recipient/addressLine1',
  },
  buildProfileEntry('CF348', 'phone', { code: 'supplier_phone_missing', meaning: "The supplier's phone is missing." }),
  {
    ...CALLER,
    authorityCode: 'CF349',
    code: 'buyer_phone_missing',
    meaning: "The buyer's phone is missing.",
    action: PHONE_ACTION,
    fieldPath: '/recipient/phone',
  },
  {
    ...CALLER,
    authorityCode: 'CF358',
    code: 'buyer_tin_invalid',
    meaning: "The buyer's TIN is not a valid tax identification number.",
    action:
      "Send the buyer's registered TIN in upper case, without spaces or hyphens. The TIN check shows whether the authority knows the TIN.",
    fieldPath: '/recipient/tin',
  },
  { ...CONTACT_PHONE, authorityCode: 'CF364', when: /phone|contact/i },
  {
    ...CALLER,
    authorityCode: 'CF364',
    code: 'line_classification_missing',
    meaning: 'A line has no classification.',
    action: 'Send classification on the line, such as 022 (others).',
    fieldPath: '/lineItems/*/classification',
  },
  {
    ...CALLER,
    authorityCode: 'CF366',
    code: 'contact_phone_length',
    meaning: 'The phone number is shorter than 8 or longer than 20 characters.',
    action: PHONE_ACTION,
    fieldPath: '/recipient/phone',
  },
  {
    ...CALLER,
    authorityCode: 'CF378',
    code: 'document_currency_missing',
    meaning: 'The document has no currency.',
    action:
      'Report this error to the operator of this service, which sets MYR in every document. Then submit the document again.',
    actor: 'operator',
    fieldPath: WHOLE_DOCUMENT,
  },
  { ...CONTACT_PHONE, authorityCode: 'CF401' },
  {
    ...CALLER,
    authorityCode: 'CF403',
    code: 'contact_email_invalid',
    meaning: 'The e-mail address is malformed or longer than 320 characters.',
    action: EMAIL_ACTION,
    fieldPath: '/recipient/email',
  },
  buildProfileEntry('CF407', 'ttxNumber', {
    code: 'tourism_tax_number_invalid',
    meaning: "The tourism tax registration number is not valid. Only the supplier's profile has one.",
  }),
  {
    ...CALLER,
    authorityCode: 'CF410',
    code: 'contact_email_missing',
    meaning: 'The e-mail address is missing.',
    action: "Send the buyer's email, such as ap@pembeli.example.",
    fieldPath: '/recipient/email',
  },
];
