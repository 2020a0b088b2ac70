import { didYouMean } from '../common/nearest.js';
import { TAX_EXEMPT } from '../documents/authority-document/line-defaults.js';
import {
  suggestClassificationHint,
  suggestCountryHint,
  suggestTaxTypeHint,
  postcodeHint,
} from '../documents/code-hints.js';
import {
  isClassification,
  isCountry,
  isMalaysianState,
  isMsic,
  MALAYSIA,
  STATE_RETIRED,
  STATE_SPELLINGS,
  TAX_TYPES,
} from '../documents/code-lists.js';
import { EMAIL_HINT, isPlainEmail } from '../documents/plain-email.js';
import { buildTaxpayerTinHint } from '../documents/identity-hints.js';
import {
  saysNone,
  GENERAL_TINS,
  ID_TYPES,
  SST_NUMBERS,
  isBrn,
  isSoleProprietor,
  isTaxpayerTin,
} from '../documents/identity.js';
import { searchIndustries } from '../documents/industry-search.js';
import { isPrintable, isAtMost } from '../http/validation/text.js';
import { forbiddenCharacterHint } from '../http/validation/hints.js';
import type { ProfileField, TenantProfile } from './tenant-profile.js';

/** A broken rule. Callers prepend the field name to the message. */
export interface ProfileProblem {
  readonly field: ProfileField;
  readonly kind: string;
  readonly message: string;
  readonly hint: string | undefined;
}

type ProfileRule = (profile: TenantProfile) => ProfileProblem[];
type Value<Field extends ProfileField> = NonNullable<TenantProfile[Field]>;

interface Condition<Field extends ProfileField> {
  readonly kind?: string;
  readonly isRight: (value: Value<Field>, profile: TenantProfile) => boolean;
  readonly message: string;
  readonly hint?: (value: Value<Field>, profile: TenantProfile) => string | undefined;
}

function createRule<Field extends ProfileField>(field: Field, condition: Condition<Field>): ProfileRule {
  const { kind = 'format', isRight, message, hint } = condition;
  return (profile) => {
    const value = profile[field];
    if (value === null || value === undefined || isRight(value, profile)) return [];
    return [{ field, kind, message, hint: hint?.(value, profile) }];
  };
}

function neededWith(field: ProfileField, other: ProfileField, message: string): ProfileRule {
  return (profile) =>
    profile[field] === null && profile[other] !== null ? [{ field, kind: 'required', message, hint: undefined }] : [];
}

// Exceeds the length of every valid value with separators.
const CODE_CHARACTERS_MAX = 60;

export const PROFILE_CHARACTERS_MAX: Readonly<Record<ProfileField, number>> = {
  name: 300,
  tin: CODE_CHARACTERS_MAX,
  idType: CODE_CHARACTERS_MAX,
  idValue: CODE_CHARACTERS_MAX,
  sstNumber: 35,
  ttxNumber: 17,
  msic: CODE_CHARACTERS_MAX,
  activity: 300,
  addressLine1: 150,
  addressLine2: 150,
  city: 50,
  postcode: 50,
  stateCode: CODE_CHARACTERS_MAX,
  country: CODE_CHARACTERS_MAX,
  phone: CODE_CHARACTERS_MAX,
  email: 320,
  defaultTaxType: CODE_CHARACTERS_MAX,
  defaultClassification: CODE_CHARACTERS_MAX,
};

const TAXPAYER_TIN_FORMAT = 'must be a TIN of the tax authority (LHDN)';
const BRN_HINT = 'write it as registered; the number of SSM has 12 digits, such as 201901234567';
// Only a line can state the reason for an exemption.
const DEFAULT_TAX_TYPES = TAX_TYPES.map(({ code }) => code).filter((code) => code !== TAX_EXEMPT);

/** Only the first broken rule of a field is reported. */
export const PROFILE_RULES: readonly ProfileRule[] = [
  ({ name }) =>
    name === ''
      ? [{ field: 'name', kind: 'required', message: 'must be given, with 1 to 300 characters', hint: undefined }]
      : [],
  createRule('tin', {
    kind: 'general',
    isRight: (tin) => !GENERAL_TINS.includes(tin),
    message: "must be the organisation's own TIN, not a general TIN",
    hint: () => "the organisation's own TIN is on the letters of the tax authority (LHDN) and in its MyTax portal",
  }),
  createRule('tin', {
    isRight: (tin) => isTaxpayerTin(tin),
    message: TAXPAYER_TIN_FORMAT,
    hint: buildTaxpayerTinHint,
  }),
  neededWith('idType', 'idValue', 'is required, since the number of the id is sent'),
  createRule('idType', {
    kind: 'choice',
    isRight: (idType) => ID_TYPES.includes(idType),
    message: `must be one of ${ID_TYPES.join(', ')}`,
  }),
  neededWith('idValue', 'idType', 'is required, since the type of the id is sent'),
  createRule('idValue', {
    isRight: (idValue, { idType }) => idType === 'NRIC' || !saysNone(idValue),
    message: "must be the organisation's own number, not NA or another text for no number",
    hint: (_idValue, { idType }) => (idType === 'BRN' ? BRN_HINT : undefined),
  }),
  createRule('idValue', {
    isRight: isIdValue,
    message: 'must be 12 digits for NRIC, at most 20 printable characters for BRN, else at most 12 letters and digits',
    hint: (idValue, { idType }) =>
      idType === 'BRN'
        ? (forbiddenCharacterHint(idValue, (character) => !isPrintable(character)) ?? BRN_HINT)
        : undefined,
  }),
  createRule('idValue', {
    kind: 'ascii',
    // Logins for sole proprietors send the BRN in an HTTP header.
    isRight: (idValue, profile) => !isSoleProprietor(profile) || /^[ -~]*$/.test(idValue),
    message: 'must consist of ASCII characters for a TIN that begins with IG',
    hint: () => BRN_HINT,
  }),
  createRule('sstNumber', {
    isRight: (sstNumber) => SST_NUMBERS.test(sstNumber),
    message: 'must be letters, digits and hyphens; two numbers are separated by a semicolon',
    hint: () => 'such as W10-1808-32000001',
  }),
  createRule('ttxNumber', {
    isRight: (ttxNumber) => /^[A-Za-z0-9-]+$/.test(ttxNumber),
    message: 'must be letters, digits and hyphens',
    hint: () => 'such as 123-4567-89012345',
  }),
  createRule('msic', {
    kind: 'choice',
    isRight: isMsic,
    message: "must be a five-digit code of the authority's MSIC list, such as 46510; leave it out when there is none",
    hint: (msic) =>
      didYouMean(
        searchIndustries(msic)
          .slice(0, 3)
          .map(({ code, description }) => `${code} (${description})`),
      ),
  }),
  createRule('postcode', {
    isRight: isPostcode,
    message: 'must be 5 digits in Malaysia',
    hint: (postcode, { stateCode }) => postcodeHint(postcode, findSlug(stateCode)),
  }),
  createRule('stateCode', {
    kind: 'country',
    isRight: isState,
    message:
      'must be a Malaysian state when the country is MYS; elsewhere the name of the state there, or not_applicable',
  }),
  createRule('country', {
    kind: 'choice',
    isRight: isCountry,
    message: 'must be an ISO 3166-1 alpha-3 code, such as MYS',
    hint: suggestCountryHint,
  }),
  createRule('phone', {
    isRight: (phone) => /^\+\d{7,19}$/.test(phone),
    message: 'must be + and 7 to 19 digits, such as +60312345678',
    hint: (phone) => (/^0\d{7,10}$/.test(phone) ? `use +6${phone}, with the code of Malaysia` : undefined),
  }),
  createRule('email', { isRight: isEmail, message: 'must be an e-mail address' }),
  // Unlike for buyers, an invalid address would make each document Invalid.
  createRule('email', {
    isRight: isPlainEmail,
    message: 'must be an e-mail address of a form that the tax authority takes',
    hint: () => EMAIL_HINT,
  }),
  createRule('defaultTaxType', {
    kind: 'choice',
    isRight: (code) => DEFAULT_TAX_TYPES.includes(code),
    message: `must be one of ${DEFAULT_TAX_TYPES.join(', ')}`,
    hint: (code) =>
      code === TAX_EXEMPT ? 'a line that is exempt names the type E itself, with its reason' : suggestTaxTypeHint(code),
  }),
  createRule('defaultClassification', {
    kind: 'choice',
    isRight: isClassification,
    message: 'must be three digits of the classification list, such as 022',
    hint: suggestClassificationHint,
  }),
];

function isIdValue(idValue: string, { idType }: TenantProfile): boolean {
  if (idType === null || !ID_TYPES.includes(idType)) return true;
  if (idType === 'NRIC') return /^\d{12}$/.test(idValue);
  return idType === 'BRN' ? isBrn(idValue) : /^[A-Za-z0-9]{1,12}$/.test(idValue);
}

function isPostcode(postcode: string, { country }: TenantProfile): boolean {
  return country !== MALAYSIA || /^\d{5}$/.test(postcode);
}

const STATE_NAME_CHARACTERS_MAX = 50;

function isState(stateCode: string, { country }: TenantProfile): boolean {
  if (country === MALAYSIA) return isMalaysianState(stateCode);
  // The authority's codes are reserved for Malaysia, and 00 is retired.
  return !isMalaysianState(stateCode) && stateCode !== STATE_RETIRED && isAtMost(stateCode, STATE_NAME_CHARACTERS_MAX);
}

function findSlug(stateCode: string | null): string {
  return STATE_SPELLINGS.find(([spelling]) => spelling === stateCode)?.[1] ?? '';
}

function isEmail(email: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(email);
}
