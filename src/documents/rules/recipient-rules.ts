import { forbiddenCharacterHint } from '../../http/validation/hints.js';
import { CLASSIFICATION_CONSOLIDATED } from '../authority-document/line-defaults.js';
import { countryHint, stateHint, postcodeHint } from '../code-hints.js';
import {
  MALAYSIA,
  STATE_NOT_APPLICABLE,
  STATE_RETIRED,
  isCountry,
  isMalaysianState,
  findStateCode,
} from '../code-lists.js';
import {
  FOREIGN_NUMBER_HINT,
  MISSING_TIN_HINT,
  PASSPORT_HINT,
  SST_NUMBER_HINT,
  foreignTinHint,
  nricHint,
  shortIdHint,
  tinHint,
} from '../identity-hints.js';
import {
  NRIC_PLACEHOLDER,
  readOptionalNumber,
  saysNone,
  FOREIGN_BUYER_TIN,
  GENERAL_PUBLIC_TIN,
  GOVERNMENT_TIN,
  type IdType,
  NOT_APPLICABLE,
  SST_NUMBERS,
  isTinShape,
  normaliseIdValue,
  normaliseTin,
} from '../identity.js';
import { isPrintable } from '../../http/validation/text.js';
import { phoneHint, toInternationalPhone } from '../phone.js';
import type { Named, Recipient } from '../simplified-document.js';
import {
  type CheckedRecipient,
  type CheckedMember,
  readAgreedText,
  normaliseOptionalText,
  normaliseText,
  CONSOLIDATED_APART,
  type Rule,
} from './rule.js';

export interface RecipientFacts {
  readonly sent: CheckedRecipient;
  /** Defaults to `MYS`. Null if malformed or unknown, so that no rule depends on it. */
  readonly country: string | null;
  readonly tin: string | null;
  readonly entityType: string | null;
  readonly identity: Identity | null;
  readonly sstNumber: string | null;
  readonly phone: string | null;
}

interface Identity {
  readonly idType: IdType;
  readonly idValue: string;
}

export function readRecipientFacts(sent: CheckedRecipient): RecipientFacts {
  const entityType = readAgreedText(sent.entity_type, sent.entityType);
  const country = readCountry(sent.country);
  return {
    sent,
    country,
    tin: typeof sent.tin === 'string' ? normaliseTin(sent.tin) : null,
    entityType,
    sstNumber: readOptionalNumber(normaliseOptionalText(sent.sstNumber)),
    identity: entityType === 'company' ? readCompanyIdentity(sent) : readIndividualIdentity(sent),
    // Accepts a Malaysian number even if the country is malformed.
    phone: typeof sent.phone === 'string' ? toInternationalPhone(sent.phone, country ?? MALAYSIA) : null,
  };
}

/** Returns the buyer as it is stored. The result is valid only if no rule is broken. */
export function toRecipient({ sent, country, tin, identity, sstNumber, phone }: RecipientFacts): Named<Recipient> {
  const addressLines = [sent.addressLine1, sent.addressLine2, sent.addressLine3].map(normaliseText);
  return {
    name: normaliseText(sent.name),
    tin: tin ?? '',
    idType: identity?.idType ?? 'BRN',
    idValue: identity?.idValue ?? '',
    addressLines: addressLines.filter((line) => line !== ''),
    city: normaliseText(sent.city),
    postcode: normaliseOptionalText(sent.postcode),
    stateCode: normaliseStateCode(sent.state, country),
    country: country ?? '',
    phone,
    email: normaliseOptionalText(sent.email),
    sstNumber,
  };
}

export const RECIPIENT_RULES: readonly Rule<RecipientFacts>[] = [
  {
    rule: 'recipient_tin_format',
    member: 'tin',
    isBroken: ({ tin }) => tin !== null && !isTinShape(tin),
    message: 'must be one or two letters followed by 6 to 12 digits',
    hint: ({ sent, country }) => chooseTinHint(normaliseText(sent.tin), country),
  },
  {
    // The authority accepts the general TIN for a named buyer only with that buyer's own id (ERR228, ERR237).
    rule: 'recipient_tin_consolidated_only',
    member: 'tin',
    isBroken: ({ tin, entityType }) => tin === GENERAL_PUBLIC_TIN && entityType === 'company',
    message: `must be the company's own TIN: ${GENERAL_PUBLIC_TIN} is for consolidated documents`,
    hint: `send the TIN of the buyer; sales to the general public are sent ${CONSOLIDATED_APART}`,
  },
  {
    rule: 'recipient_brn_required',
    member: 'brn',
    isBroken: ({ sent, entityType }) => entityType === 'company' && sent.brn === undefined,
    message: 'is required for a company',
    hint: ({ sent, tin }) => {
      if (hasIndividualId(sent)) return 'or send entity_type individual with the id given';
      return tin === GOVERNMENT_TIN
        ? `the number of the body; ${NOT_APPLICABLE} if it has none and every line has classification ${CLASSIFICATION_CONSOLIDATED}`
        : `the 12 digits of SSM, such as 202001234567; ${NOT_APPLICABLE} for a foreign company without one, with the TIN ${FOREIGN_BUYER_TIN}`;
    },
  },
  {
    rule: 'recipient_brn_format',
    member: 'brn',
    isBroken: ({ identity }) => identity?.idType === 'BRN' && !isPrintable(identity.idValue),
    message: 'must not contain invisible characters',
    hint: ({ identity }) =>
      forbiddenCharacterHint(identity?.idValue, (character) => !isPrintable(character)) ??
      'send the number as it is registered',
  },
  {
    rule: 'recipient_nric_required',
    member: 'nric',
    isBroken: ({ sent, entityType }) => entityType === 'individual' && !hasIndividualId(sent),
    message: 'is required for an individual, unless passport or army is given',
    hint: (facts) =>
      typeof facts.sent.brn === 'string'
        ? 'or send entity_type company with the brn given'
        : personIdHint(
            facts,
            `use ${NRIC_PLACEHOLDER}, if the buyer gave a TIN and no id; otherwise the 12 digits of the id`,
          ),
  },
  {
    rule: 'recipient_nric_format',
    member: 'nric',
    isBroken: ({ entityType, identity }) => isBadId(entityType, identity, 'NRIC', /^\d{12}$/),
    message: 'must be 12 digits',
    hint: (facts) => personIdHint(facts, nricHint(facts.identity?.idValue ?? '')),
  },
  {
    // ERR237. Twelve zeros replace the number of a person with a known TIN.
    rule: 'recipient_nric_stand_in',
    member: 'nric',
    isBroken: ({ tin, identity }) =>
      tin === GENERAL_PUBLIC_TIN && identity?.idType === 'NRIC' && identity.idValue === NRIC_PLACEHOLDER,
    message: `must be the buyer's own when the TIN is ${GENERAL_PUBLIC_TIN}`,
    hint: "send the buyer's own TIN or the buyer's own nric",
  },
  {
    rule: 'recipient_passport_format',
    member: 'passport',
    isBroken: ({ entityType, identity }) => isBadShortId(entityType, identity, 'PASSPORT'),
    message: 'must be 1 to 12 letters and digits',
    hint: ({ identity }) => shortIdHint(identity?.idValue ?? '', 'A12345678'),
  },
  {
    rule: 'recipient_army_format',
    member: 'army',
    isBroken: ({ entityType, identity }) => isBadShortId(entityType, identity, 'ARMY'),
    message: 'must be 1 to 12 letters and digits',
    hint: ({ identity }) => shortIdHint(identity?.idValue ?? '', 'T1234567'),
  },
  {
    rule: 'recipient_country_unknown',
    member: 'country',
    isBroken: ({ sent, country }) => typeof sent.country === 'string' && country === null,
    message: 'must be an ISO 3166-1 alpha-3 code, such as MYS',
    hint: ({ sent }) => countryHint(sent.country),
  },
  {
    rule: 'recipient_postcode_format',
    member: 'postcode',
    isBroken: ({ sent, country }) => country === MALAYSIA && isMismatch(sent.postcode, /^\d{5}$/),
    message: 'must be 5 digits',
    hint: ({ sent }) => postcodeHint(normaliseText(sent.postcode), normaliseText(sent.state)),
  },
  {
    rule: 'recipient_state_required',
    member: 'state',
    isBroken: ({ sent, country }) => country === MALAYSIA && sent.state === undefined,
    message: 'is required for an address in Malaysia',
    hint: stateHint(undefined),
  },
  {
    rule: 'recipient_state_unknown',
    member: 'state',
    isBroken: ({ sent, country }) =>
      country === MALAYSIA && typeof sent.state === 'string' && findStateCode(sent.state.trim()) === null,
    message: 'must be the slug of a Malaysian state, such as selangor',
    hint: ({ sent }) => stateHint(sent.state),
  },
  {
    rule: 'recipient_state_not_applicable',
    member: 'state',
    isBroken: ({ sent, country }) =>
      country === MALAYSIA && findStateCode(normaliseText(sent.state)) === STATE_NOT_APPLICABLE,
    message: 'must be a state of Malaysia: not_applicable is for an address outside Malaysia',
    hint: stateHint(undefined),
  },
  {
    // The codes 01 to 16 are for Malaysia (CV316). A state abroad is free text.
    rule: 'recipient_state_code',
    member: 'state',
    isBroken: ({ sent, country }) =>
      country !== null && country !== MALAYSIA && isMalaysianState(normaliseText(sent.state)),
    message: 'must be the name of the state abroad: codes 01 to 16 are states of Malaysia',
    hint: 'send the name of the state abroad, or country MYS for an address in Malaysia, or leave it out',
  },
  {
    // CV302. The authority rejects code 00 for every country.
    rule: 'recipient_state_retired',
    member: 'state',
    isBroken: ({ sent, country }) =>
      country !== null && country !== MALAYSIA && normaliseText(sent.state) === STATE_RETIRED,
    message: 'must be the name of the state abroad: code 00 is no longer accepted',
    hint: 'send the name of the state abroad, or leave it out',
  },
  {
    rule: 'recipient_phone_format',
    member: 'phone',
    isBroken: ({ sent, phone }) => typeof sent.phone === 'string' && phone === null,
    message: 'must be + and 7 to 19 digits',
    hint: ({ sent, country }) => phoneHint(normaliseText(sent.phone), country ?? MALAYSIA),
  },
  {
    rule: 'recipient_sst_number_format',
    member: 'sstNumber',
    isBroken: ({ sstNumber }) => sstNumber !== null && !SST_NUMBERS.test(sstNumber),
    message: 'must be letters, digits and hyphens; two numbers are separated by a semicolon',
    hint: SST_NUMBER_HINT,
  },
];

/** If the country is unknown, the hint covers both cases. */
function chooseTinHint(tin: string, country: string | null): string {
  if (country === MALAYSIA) return tinHint(tin);
  if (country !== null) return foreignTinHint(tin);
  return saysNone(tin) ? MISSING_TIN_HINT : `${tinHint(tin)}; ${FOREIGN_NUMBER_HINT}`;
}

/** Twelve zeros are rejected with the TIN of the general public, and are incorrect for a foreigner. */
function personIdHint({ tin, country }: RecipientFacts, hint: string): string {
  if (!hint.includes(NRIC_PLACEHOLDER)) return hint;
  if (tin === GENERAL_PUBLIC_TIN) return `with ${GENERAL_PUBLIC_TIN}, send the buyer's own 12 digits as nric`;
  return isAbroad(country) || tin === FOREIGN_BUYER_TIN ? PASSPORT_HINT : hint;
}

function isAbroad(country: string | null): boolean {
  return country !== null && country !== MALAYSIA;
}

const SHORT_ID = /^[A-Za-z0-9]{1,12}$/;

function readCountry(sent: CheckedMember<string>): string | null {
  if (sent === undefined) return MALAYSIA;
  const country = normaliseText(sent);
  return isCountry(country) ? country : null;
}

function readCompanyIdentity(sent: CheckedRecipient): Identity | null {
  if (typeof sent.brn !== 'string') return null;
  const brn = normaliseIdValue('BRN', sent.brn);
  return { idType: 'BRN', idValue: saysNone(brn) ? NOT_APPLICABLE : brn };
}

/** A malformed id is not skipped. */
function readIndividualIdentity(sent: CheckedRecipient): Identity | null {
  const candidates: readonly (readonly [IdType, CheckedMember<string>])[] = [
    ['NRIC', sent.nric],
    ['PASSPORT', sent.passport],
    ['ARMY', sent.army],
  ];
  const given = candidates.find(([, value]) => value !== undefined);
  if (given === undefined || typeof given[1] !== 'string') return null;
  return { idType: given[0], idValue: normaliseIdValue(given[0], given[1]) };
}

function hasIndividualId(sent: CheckedRecipient): boolean {
  return sent.nric !== undefined || sent.passport !== undefined || sent.army !== undefined;
}

function isBadId(entityType: string | null, identity: Identity | null, idType: IdType, format: RegExp): boolean {
  return entityType === 'individual' && identity?.idType === idType && !format.test(identity.idValue);
}

/** Another rule reports a value such as `NA` in place of a number. */
function isBadShortId(entityType: string | null, identity: Identity | null, idType: IdType): boolean {
  return isBadId(entityType, identity, idType, SHORT_ID) && !saysNone(identity?.idValue ?? '');
}

function isMismatch(sent: CheckedMember<string>, format: RegExp): boolean {
  return typeof sent === 'string' && !format.test(sent.trim());
}

/**
 * Returns the authority's code in Malaysia. Abroad, returns the string, or `17` if it is empty or means "none" (CV302).
 */
function normaliseStateCode(sent: CheckedMember<string>, country: string | null): string {
  const state = normaliseText(sent);
  const code = findStateCode(state);
  if (country === MALAYSIA) return code ?? '';
  return saysNone(state) || code === STATE_NOT_APPLICABLE ? STATE_NOT_APPLICABLE : state;
}
