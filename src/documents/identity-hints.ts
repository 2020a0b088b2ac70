import {
  FOREIGN_BUYER_TIN,
  GENERAL_PUBLIC_TIN,
  GENERAL_TINS,
  GOVERNMENT_TIN,
  isTaxpayerTin,
  isTinShape,
  normaliseTin,
  saysNone,
  hasUsualTinShape,
  hasBirthDate,
  NRIC_PLACEHOLDER,
  looksLikeBrn,
  bareBrn,
} from './identity.js';

// Hints about the ids of a taxpayer. Most rejected documents contain an id in the wrong field or format.

const ORGANISATION_PREFIX = /^(?:C|CS|D|F|FA|PT|TA|TC|TN|TR|TP|J|LE)(?=\d)/;
const TIN_EXAMPLE = 'such as C1234567890 for a company or IG1234567890 for an individual';

export const FOREIGN_TIN_HINT = `a foreign buyer without a TIN has ${FOREIGN_BUYER_TIN}`;

export const FOREIGN_NUMBER_HINT = `use ${FOREIGN_BUYER_TIN}, if the buyer has no TIN of Malaysia`;

export const MISSING_TIN_HINT =
  `ask the buyer for it; without one, an individual has ${GENERAL_PUBLIC_TIN} with the own nric, a government body ` +
  `${GOVERNMENT_TIN}, a foreign buyer ${FOREIGN_BUYER_TIN}`;

export const SST_NUMBER_HINT =
  'send the one or two numbers of the registration, such as W10-1808-32000001, or leave it out';

const NRIC_DIGITS = /^\d{12}$/;

export function buildTaxpayerTinHint(tin: string): string {
  const bare = removePunctuation(tin);
  if (isTaxpayerTin(bare)) return `use ${bare}`;
  if (saysNone(tin)) return `send the TIN of your own registration, ${TIN_EXAMPLE}`;
  return isTinShape(bare) ? buildTinDoubtHint(bare) : tinHint(tin);
}

export function foreignTinHint(sent: string): string {
  if (saysNone(sent)) return FOREIGN_TIN_HINT;
  return isTinShape(removePunctuation(normaliseTin(sent))) ? tinHint(sent) : FOREIGN_NUMBER_HINT;
}

export function tinHint(sent: string): string {
  if (saysNone(sent)) return MISSING_TIN_HINT;
  const tin = normaliseTin(sent);
  const bare = removePunctuation(tin);
  if (bare !== tin && isTinShape(bare)) return `use ${bare}`;
  if (NRIC_DIGITS.test(tin)) return `this looks like an NRIC or BRN; a TIN is ${TIN_EXAMPLE}`;
  if (/^\d+$/.test(tin)) return `begin with the letters of the TIN, ${TIN_EXAMPLE}`;
  return TIN_EXAMPLE;
}

function removePunctuation(tin: string): string {
  return tin.replace(/[-./]/g, '');
}

/** Returns why the authority probably does not know a well-formed TIN, and a likely correction. */
export function buildTinDoubtHint(tin: string): string {
  if (tin.startsWith('EI')) return `the general TINs are ${GENERAL_TINS.join(', ')}`;
  if (/^[OS]G\d/.test(tin)) return `individuals have IG now: ${tin.replace(/^[OS]G/, 'IG')}`;
  const [prefix] = ORGANISATION_PREFIX.exec(tin) ?? [];
  if (prefix === undefined) return 'TINs begin with IG, C, CS, D, F, FA, J, LE, PT, TA, TC, TN, TP or TR';
  const withoutZeros = prefix + tin.slice(prefix.length).replace(/^0+/, '');
  if (withoutZeros !== tin && hasUsualTinShape(withoutZeros)) return `without zeros after the letters: ${withoutZeros}`;
  // Without this hint, users replace the last digit, which results in the TIN of another company.
  if (!tin.endsWith('0')) return 'compare it with the registration: the TIN of an organisation ends in 0';
  return `compare it with the registration; a TIN is ${TIN_EXAMPLE}`;
}

export function brnHint(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const bare = bareBrn(value);
  return bare === null ? 'send one number alone, as it is registered' : `use ${bare}, without the other number`;
}

export function shortIdHint(value: string, example: string): string {
  const bare = value.replace(/[^A-Za-z0-9]/g, '');
  if (bare !== value && /^[A-Za-z0-9]{1,12}$/.test(bare)) return `use ${bare}`;
  return `send the number alone, as it is on the document, such as ${example}`;
}

/** Hint for a foreign individual without an id, for whom an NRIC or zeros would be incorrect. */
export const PASSPORT_HINT =
  `ask the buyer for the passport number and send it as passport, without nric; ${NRIC_PLACEHOLDER} as nric is for a ` +
  'person with a TIN of Malaysia and no id';

export function foreignNricHint(value: string): string {
  const hint = nricHint(value);
  return hint.includes(NRIC_PLACEHOLDER) ? PASSPORT_HINT : hint;
}

export function nricHint(value: string): string {
  if (saysNone(value)) return `use ${NRIC_PLACEHOLDER}, if the buyer has a TIN and did not give an id`;
  if (looksLikeBrn(value)) return 'this looks like a BRN: send it as brn, with entity_type company';
  const padded = value.padStart(NRIC_PLACEHOLDER.length, '0');
  if (/^\d{10,11}$/.test(value) && hasBirthDate(padded)) return `are leading zeros missing? ${padded}`;
  if (/[A-Z]/i.test(value) && /^[A-Z0-9]{1,12}$/i.test(value)) {
    return 'a passport or army number goes into passport or army, without nric';
  }
  return 'send the 12 digits of the identity card; a foreigner has passport instead, without nric';
}
