import { hasForbiddenCharacters, isAtMost } from '../common/validation/text.js';
import {
  isClassification,
  isCountry,
  isMalaysianState,
  isMsic,
  isTaxType,
  MALAYSIA,
  STATE_NOT_APPLICABLE,
  STATE_SLUGS,
  stateCodeOf,
} from '../documents/code-lists.js';
import { GENERAL_TINS, ID_TYPES, isTinShape, normaliseIdValue, normaliseTin } from '../documents/identity.js';
import type { Tenant } from '../entities/tenant.entity.js';
import { PROFILE_OPTIONS, type ProfileOptions } from './profile-options.js';

/** What `tenant create` and `tenant update` set. */
export type TenantProfile = Omit<Tenant, 'tenantId' | 'createdAt'>;

export const EMPTY_PROFILE: TenantProfile = {
  name: '',
  tin: null,
  idType: null,
  idValue: null,
  sstNumber: null,
  ttxNumber: null,
  msic: null,
  activity: null,
  addressLine1: null,
  addressLine2: null,
  city: null,
  postcode: null,
  stateCode: null,
  country: MALAYSIA,
  phone: null,
  email: null,
  defaultTaxType: '01',
  defaultClassification: null,
};

/** Each sentence starts with its option and says what would be right. */
export type ProfileReading = { readonly profile: TenantProfile } | { readonly problems: readonly string[] };

/**
 * The profile after the given options: normalised, and checked by the rules that D4 has for buyers and the authority for
 * suppliers (protocol 12.3). An option that is not given keeps its field; an empty text clears it. Only a name must be
 * there: what a supplier needs beside it is asked for at submit.
 */
export function applyProfileOptions(current: TenantProfile, options: ProfileOptions): ProfileReading {
  const problems: string[] = [];
  const given = { ...options };
  for (const { name, flag } of PROFILE_OPTIONS) {
    const text = given[name]?.trim();
    if (text !== undefined && hasForbiddenCharacters(text, 'line'))
      problems.push(`${flag} must not hold control characters`);
    if (text !== undefined) given[name] = text;
  }
  const profile = merged(current, given);
  if (given.state) problems.push(...unknownState(given.state));
  for (const { isBroken, problem } of RULES) if (isBroken(profile)) problems.push(problem);
  return problems.length > 0 ? { problems } : { profile };
}

function merged(current: TenantProfile, given: ProfileOptions): TenantProfile {
  const idType = chosen(given.idType?.toUpperCase(), current.idType);
  return {
    name: given.name ?? current.name,
    tin: chosen(given.tin && normaliseTin(given.tin), current.tin),
    // A type that is not in the list is named by the rules below, and never stored.
    idType: idType as TenantProfile['idType'],
    idValue: chosen(given.idValue && normaliseIdValue(given.idValue), current.idValue),
    sstNumber: chosen(given.sst, current.sstNumber),
    ttxNumber: chosen(given.ttx, current.ttxNumber),
    msic: chosen(given.msic, current.msic),
    activity: chosen(given.activity, current.activity),
    addressLine1: chosen(given.addressLine1, current.addressLine1),
    addressLine2: chosen(given.addressLine2, current.addressLine2),
    city: chosen(given.city, current.city),
    postcode: chosen(given.postcode, current.postcode),
    stateCode: given.state ? stateCodeOf(slugOf(given.state)) : chosen(given.state, current.stateCode),
    country: chosen(given.country?.toUpperCase(), current.country),
    phone: chosen(given.phone?.replaceAll(/[\s-]/g, ''), current.phone),
    email: chosen(given.email, current.email),
    defaultTaxType: chosen(given.defaultTaxType?.toUpperCase(), current.defaultTaxType) ?? EMPTY_PROFILE.defaultTaxType,
    defaultClassification: chosen(given.defaultClassification, current.defaultClassification),
  };
}

function chosen(option: string | undefined, kept: string | null): string | null {
  return option === undefined ? kept : option || null;
}

// People type "Kuala Lumpur"; the list says wilayah_persekutuan_kuala_lumpur and knows aliases.
function slugOf(text: string): string {
  return text.toLowerCase().replaceAll(/[\s-]+/g, '_');
}

function unknownState(text: string): string[] {
  return stateCodeOf(slugOf(text)) === null ? [`--state must be one of ${STATE_SLUGS.join(', ')}; not "${text}"`] : [];
}

interface ProfileRule {
  readonly isBroken: (profile: TenantProfile) => boolean;
  readonly problem: string;
}

/** A rule for a field that may be empty. */
function ruleFor<Field extends keyof TenantProfile>(
  field: Field,
  isRight: (value: NonNullable<TenantProfile[Field]>, profile: TenantProfile) => boolean,
  problem: string,
): ProfileRule {
  return {
    isBroken: (profile) => {
      const value = profile[field];
      return value !== null && value !== undefined && !isRight(value, profile);
    },
    problem,
  };
}

const ID_CHARACTERS_MAX = { BRN: 20, NRIC: 12, PASSPORT: 12, ARMY: 12 } as const;

const RULES: readonly ProfileRule[] = [
  {
    isBroken: ({ name }) => name === '' || !isAtMost(name, 300),
    problem: '--name must be given, with 1 to 300 characters',
  },
  ruleFor(
    'tin',
    isTinShape,
    '--tin must be one or two letters and 6 to 12 digits, such as C1234567890 or IG12345678901',
  ),
  ruleFor('tin', (tin) => !GENERAL_TINS.includes(tin), "--tin must be the organisation's own, not a general TIN"),
  {
    isBroken: ({ idType, idValue }) => (idType === null) !== (idValue === null),
    problem: '--id-type and --id-value belong together: give both, or neither',
  },
  ruleFor('idType', (idType) => ID_TYPES.includes(idType), `--id-type must be one of ${ID_TYPES.join(', ')}`),
  ruleFor(
    'idValue',
    isIdValue,
    '--id-value must be 12 digits for NRIC, else letters and digits (BRN at most 20, others 12)',
  ),
  ruleFor('sstNumber', (sst) => isAtMost(sst, 35), '--sst must have at most 35 characters'),
  ruleFor('ttxNumber', (ttx) => isAtMost(ttx, 17), '--ttx must have at most 17 characters'),
  ruleFor(
    'msic',
    isMsic,
    "--msic must be a five-digit code of the authority's MSIC list, such as 46510; leave it out when there is none",
  ),
  ruleFor('activity', (activity) => isAtMost(activity, 300), '--activity must have at most 300 characters'),
  ruleFor('addressLine1', (line) => isAtMost(line, 150), '--address-line1 must have at most 150 characters'),
  ruleFor('addressLine2', (line) => isAtMost(line, 150), '--address-line2 must have at most 150 characters'),
  ruleFor('city', (city) => isAtMost(city, 50), '--city must have at most 50 characters'),
  ruleFor('postcode', isPostcode, '--postcode must be 5 digits in Malaysia, at most 50 characters elsewhere'),
  ruleFor(
    'stateCode',
    isState,
    '--state must be a Malaysian state when the country is MYS, and not_applicable elsewhere',
  ),
  ruleFor('country', isCountry, '--country must be an ISO 3166-1 alpha-3 code, such as MYS'),
  ruleFor('phone', (phone) => /^\+\d{8,19}$/.test(phone), '--phone must be + and 8 to 19 digits, such as +60312345678'),
  ruleFor('email', isEmail, '--email must be an e-mail address of at most 320 characters'),
  ruleFor('defaultTaxType', isTaxType, '--default-tax-type must be one of 01, 02, 03, 04, 05, 06, E'),
  ruleFor(
    'defaultClassification',
    isClassification,
    '--default-classification must be three digits of the classification list, such as 022',
  ),
];

function isIdValue(idValue: string, { idType }: TenantProfile): boolean {
  if (idType === null || !ID_TYPES.includes(idType)) return true;
  if (idType === 'NRIC') return /^\d{12}$/.test(idValue);
  return /^[A-Za-z0-9]+$/.test(idValue) && idValue.length <= ID_CHARACTERS_MAX[idType];
}

function isPostcode(postcode: string, { country }: TenantProfile): boolean {
  return country === MALAYSIA ? /^\d{5}$/.test(postcode) : isAtMost(postcode, 50);
}

function isState(stateCode: string, { country }: TenantProfile): boolean {
  return country === MALAYSIA ? isMalaysianState(stateCode) : stateCode === STATE_NOT_APPLICABLE;
}

function isEmail(email: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(email) && isAtMost(email, 320);
}
