import { forbiddenCharacterHint, shortenHint } from '../http/validation/hints.js';
import { findLookAlike } from '../http/validation/look-alikes.js';
import { hasForbiddenCharacters, isAtMost } from '../http/validation/text.js';
import { suggestStateHint } from '../documents/code-hints.js';
import {
  MALAYSIA,
  STATE_NOT_APPLICABLE,
  STATE_RETIRED,
  STATE_SLUGS,
  STATE_SPELLINGS,
  findStateCode,
} from '../documents/code-lists.js';
import { readOptionalNumber, saysNone, type IdType, normaliseIdValue, normaliseTin } from '../documents/identity.js';
import { PROFILE_CHARACTERS_MAX, PROFILE_RULES, type ProfileProblem } from './profile-rules.js';
import { EMPTY_PROFILE, PROFILE_FIELDS, type ProfileField, type TenantProfile } from './tenant-profile.js';

/** The changed fields, as typed. Empty text clears a field. */
export type ProfileChange = { readonly [Field in ProfileField]?: string };

export type ProfileReading = { readonly profile: TenantProfile } | { readonly problems: readonly ProfileProblem[] };

/**
 * Applies a change and validates the profile by docs/rules.md#body-rules and the authority's rules for suppliers
 * (protocol 12.3). Returns at most one problem per field.
 */
export function applyProfileChange(current: TenantProfile, change: ProfileChange): ProfileReading {
  const trimmed = Object.fromEntries(
    Object.entries(change).map(([field, text]) => [field, text?.trim()]),
  ) as ProfileChange;
  const tooLong = PROFILE_FIELDS.filter((field) => !isAtMost(trimmed[field] ?? '', PROFILE_CHARACTERS_MAX[field]));
  // Later checks skip long texts, because Unicode normalisation takes quadratic time.
  const given: ProfileChange = { ...trimmed, ...Object.fromEntries(tooLong.map((field) => [field, undefined])) };
  const profile = mergeProfile(current, given);
  const found = [
    ...tooLong.map((field) => describeTooLong(field, trimmed[field])),
    ...checkTexts(given, profile),
    ...PROFILE_RULES.flatMap((rule) => rule(profile)),
  ];
  const problems = found.filter(({ field }, index) => found.findIndex((other) => other.field === field) === index);
  return problems.length > 0 ? { problems } : { profile };
}

function describeTooLong(field: ProfileField, text: string | undefined): ProfileProblem {
  const max = PROFILE_CHARACTERS_MAX[field];
  return { field, kind: 'length', message: `must have at most ${max} characters`, hint: shortenHint(text, max) };
}

function checkTexts(given: ProfileChange, { country }: TenantProfile): ProfileProblem[] {
  const isForbidden = (text: string): boolean => hasForbiddenCharacters(text, 'line');
  const problems: ProfileProblem[] = PROFILE_FIELDS.filter((field) => isForbidden(given[field] ?? '')).map((field) => ({
    field,
    kind: 'characters',
    message: 'must not contain control characters',
    hint: forbiddenCharacterHint(given[field], isForbidden),
  }));
  for (const field of ['name', 'email'] as const) {
    const found = findLookAlike(given[field] ?? '');
    if (found === null) continue;
    const message = 'must not contain invisible characters, or letters that look like others';
    problems.push({ field, kind: 'look_alike', message, hint: `type it again without ${found}` });
  }
  if (given.stateCode && readState(given.stateCode, country) === null) {
    problems.push({
      field: 'stateCode',
      kind: 'choice',
      message: `must be one of ${STATE_SLUGS.join(', ')}`,
      hint: suggestStateHint(given.stateCode),
    });
  }
  return problems;
}

function mergeProfile(current: TenantProfile, given: ProfileChange): TenantProfile {
  const idType = chooseValue(given.idType?.toUpperCase(), current.idType);
  const country = chooseValue(given.country?.toUpperCase(), current.country);
  const idValue = chooseValue(given.idValue, current.idValue);
  return {
    name: given.name ?? current.name,
    tin: chooseValue(given.tin && normaliseTin(given.tin), current.tin),
    // PROFILE_RULES rejects unknown types.
    idType: idType as TenantProfile['idType'],
    // A changed type also normalises the stored number.
    idValue: idValue && normaliseIdValue(idType as IdType, idValue),
    sstNumber: readOptionalNumber(chooseValue(given.sstNumber, current.sstNumber)),
    ttxNumber: readOptionalNumber(chooseValue(given.ttxNumber, current.ttxNumber)),
    msic: chooseValue(given.msic, current.msic),
    activity: chooseValue(given.activity, current.activity),
    addressLine1: chooseValue(given.addressLine1, current.addressLine1),
    addressLine2: chooseValue(given.addressLine2, current.addressLine2),
    city: chooseValue(given.city, current.city),
    postcode: chooseValue(given.postcode, current.postcode),
    stateCode: given.stateCode ? readState(given.stateCode, country) : chooseValue(given.stateCode, current.stateCode),
    country,
    phone: chooseValue(given.phone?.replaceAll(/[\s-]/g, ''), current.phone),
    email: chooseValue(given.email, current.email),
    defaultTaxType:
      chooseValue(given.defaultTaxType?.toUpperCase(), current.defaultTaxType) ?? EMPTY_PROFILE.defaultTaxType,
    defaultClassification: chooseValue(given.defaultClassification, current.defaultClassification),
  };
}

function chooseValue(given: string | undefined, kept: string | null): string | null {
  return given === undefined ? kept : given || null;
}

/**
 * Returns the code of a Malaysian state, or the name of a foreign one. Placeholders such as `NA` become `17` abroad.
 */
function readState(text: string, country: string | null): string | null {
  const code = parseState(text);
  if (code !== null || country === null || country === MALAYSIA) return code;
  return saysNone(text) && text !== STATE_RETIRED ? STATE_NOT_APPLICABLE : text;
}

const SLUGS = new Map(STATE_SPELLINGS);

function parseState(text: string): string | null {
  const slug = SLUGS.get(text.toLowerCase().replaceAll(/[\s-]+/g, '_'));
  return slug === undefined ? null : findStateCode(slug);
}
