import { ChoiceField, TextField } from '../../http/validation/fields.js';
import type { OwnedHint } from '../../http/validation/hints.js';
import type { JsonObject } from '../../http/validation/shape.js';
import { countryHint, stateHint, postcodeHint } from '../code-hints.js';
import { isTinShape } from '../identity.js';
import { MALAYSIA } from '../code-lists.js';
import {
  brnHint,
  FOREIGN_NUMBER_HINT,
  FOREIGN_TIN_HINT,
  foreignNricHint,
  foreignTinHint,
  MISSING_TIN_HINT,
  nricHint,
  shortIdHint,
  SST_NUMBER_HINT,
  tinHint,
} from '../identity-hints.js';
import { phoneHint, toInternationalPhone } from '../phone.js';
import { emailHint } from '../plain-email.js';

export const ENTITY_TYPES = ['company', 'individual'] as const;

// Maximum before normalisation, which removes hyphens and white space.
const ID_TEXT_MAX = 50;
const PHONE_TEXT_MAX = 50;

/** Another rule reports a wrong country. */
function isInMalaysia({ country }: JsonObject): boolean {
  if (country === undefined || country === null) return true;
  return typeof country === 'string' && ['', MALAYSIA].includes(country.trim());
}

const KINDS =
  'use company for a buyer with a business registration number, individual for a person with nric or passport';

function kindHint(value: unknown): string | undefined {
  return typeof value === 'string' && /^(?:sole|enterprise|firm|business|partnership)/i.test(value.trim())
    ? KINDS
    : undefined;
}

function isNric(text: string): boolean {
  return /^\d{12}$/.test(text);
}

function isShortId(text: string): boolean {
  return /^[A-Za-z0-9]{1,12}$/.test(text);
}

/** Suggests quotation marks for an id that was sent as a number. */
function hintAsText(
  isRight: (text: string, buyer: JsonObject) => boolean,
  hint: (text: string, buyer: JsonObject) => string,
): OwnedHint {
  return (value, buyer) => {
    if (typeof value === 'string') return hint(value, buyer);
    if (typeof value !== 'number') return undefined;
    return isRight(String(value), buyer) ? undefined : `write it in quotation marks; ${hint(String(value), buyer)}`;
  };
}

/** A hint for Malaysian values can be wrong abroad, such as the code of Malaysia in a foreign phone number. */
function hintByCountry(inMalaysia: OwnedHint, abroad: OwnedHint): OwnedHint {
  return (value, buyer) => (isInMalaysia(buyer) ? inMalaysia : abroad)(value, buyer);
}

function phoneCountry({ country }: JsonObject): string {
  return typeof country === 'string' && country.trim() !== '' ? country.trim() : MALAYSIA;
}

export class RecipientDto {
  @TextField({
    label: 'name',
    description: "The buyer's name.",
    example: 'Pembeli Contoh Sdn Bhd',
    maxLength: 300,
    layout: 'paragraph',
  })
  name: string;

  @TextField({
    label: 'TIN',
    description:
      "The buyer's taxpayer identification number, with one or two letters and 6 to 12 digits. Lower case, spaces and " +
      'invisible characters are normalised.',
    example: 'C9876543210',
    missingHint: (buyer) => (isInMalaysia(buyer) ? MISSING_TIN_HINT : FOREIGN_TIN_HINT),
    maxLength: ID_TEXT_MAX,
    layout: 'paragraph',
    hint: hintByCountry(hintAsText(isTinShape, tinHint), (value) =>
      typeof value === 'string' ? foreignTinHint(value) : FOREIGN_NUMBER_HINT,
    ),
  })
  tin: string;

  @ChoiceField({
    label: 'kind: company or individual',
    description: 'Kind of buyer. A `company` is identified by `brn`, and an `individual` by `nric`.',
    example: 'company',
    choices: ENTITY_TYPES,
    missingHint: KINDS,
    hint: kindHint,
    alias: 'entityType',
  })
  entity_type?: (typeof ENTITY_TYPES)[number];

  @ChoiceField({
    description: 'Kind of buyer.',
    example: 'company',
    choices: ENTITY_TYPES,
    hint: kindHint,
    aliasOf: 'entity_type',
  })
  entityType?: (typeof ENTITY_TYPES)[number];

  @TextField({
    label: 'business registration number (BRN)',
    description:
      'Business registration number as registered, with its hyphens, slashes and spaces. Required for a company. Send `NA` ' +
      'for a foreign company without a known number, with the TIN `EI00000000020`.',
    example: '202001234567',
    maxLength: 20,
    hint: brnHint,
    required: false,
  })
  brn?: string;

  @TextField({
    label: 'NRIC',
    description: 'National identity number of an individual, with 12 digits. Hyphens and spaces are removed.',
    example: '880101145678',
    maxLength: ID_TEXT_MAX,
    layout: 'paragraph',
    hint: hintByCountry(hintAsText(isNric, nricHint), (value) => {
      const text = typeof value === 'number' ? String(value) : value;
      return typeof text !== 'string' || (text !== value && isNric(text)) ? undefined : foreignNricHint(text);
    }),
    required: false,
  })
  nric?: string;

  @TextField({
    label: 'passport number',
    description: 'Passport number of an individual without an NRIC, with at most 12 letters and digits.',
    example: 'A12345678',
    maxLength: ID_TEXT_MAX,
    layout: 'paragraph',
    hint: hintAsText(isShortId, (text) => shortIdHint(text, 'A12345678')),
    required: false,
  })
  passport?: string;

  @TextField({
    label: 'army number',
    description: 'Army number of an individual without an NRIC, with at most 12 letters and digits.',
    example: 'T1234567',
    maxLength: ID_TEXT_MAX,
    layout: 'paragraph',
    hint: hintAsText(isShortId, (text) => shortIdHint(text, 'T1234567')),
    required: false,
  })
  army?: string;

  @TextField({
    label: 'address',
    description: 'First line of the address.',
    example: '12 Jalan Contoh',
    maxLength: 150,
    layout: 'paragraph',
  })
  addressLine1: string;

  @TextField({
    label: 'address, second line',
    description: 'Second line of the address.',
    example: 'Seksyen 7',
    maxLength: 150,
    layout: 'paragraph',
    required: false,
  })
  addressLine2?: string;

  @TextField({
    label: 'address, third line',
    description: 'Third line of the address.',
    example: 'Blok B',
    maxLength: 150,
    layout: 'paragraph',
    required: false,
  })
  addressLine3?: string;

  @TextField({ label: 'city', description: 'City.', example: 'Shah Alam', maxLength: 50 })
  city: string;

  @TextField({
    label: 'postcode',
    description: 'Postcode. Required in Malaysia, where it has 5 digits.',
    example: '40000',
    missingHint: 'such as "40000"; for an address outside Malaysia, send its country',
    maxLength: 50,
    hint: hintByCountry(
      hintAsText(
        (text) => /^\d{5}$/.test(text),
        (text) => postcodeHint(text, ''),
      ),
      (value) => (typeof value === 'string' ? 'send the postcode alone, or leave it out' : undefined),
    ),
    required: isInMalaysia,
  })
  postcode?: string;

  @TextField({
    label: 'state',
    description:
      'Slug of the state, required in Malaysia. Outside Malaysia, free text. The default is `not_applicable`.',
    example: 'selangor',
    maxLength: 50,
    hint: hintByCountry(stateHint, () => 'send the name of the state abroad in quotation marks, or leave it out'),
    required: false,
  })
  state?: string;

  @TextField({
    label: 'country',
    description: 'Country of the address as ISO 3166-1 alpha-3. Default: `MYS`.',
    example: 'MYS',
    maxLength: 3,
    hint: countryHint,
    required: false,
  })
  country?: string;

  @TextField({
    label: 'phone',
    description:
      'Telephone number in international form, with `+` and 7 to 19 digits. Separators are removed. With an address in ' +
      "Malaysia, a Malaysian number needs no `+60`. Default: the supplier's number.",
    example: '+60398765432',
    maxLength: PHONE_TEXT_MAX,
    hint: hintAsText(
      (text, buyer) => toInternationalPhone(text, phoneCountry(buyer)) !== null,
      (text, buyer) => phoneHint(text, phoneCountry(buyer)),
    ),
    required: false,
  })
  phone?: string;

  @TextField({
    label: 'e-mail address',
    description: 'E-mail address.',
    example: 'ap@pembeli.example',
    maxLength: 320,
    format: { pattern: /^[^\s@]+@[^\s@][^\s@.]*\.[^\s@]+$/, message: 'must be an e-mail address' },
    hint: emailHint,
    required: false,
  })
  email?: string;

  @TextField({
    label: 'SST number',
    description:
      'Sales and service tax registration number, with letters, digits and hyphens. At most two numbers, separated by a ' +
      'semicolon. `NA` or `-` means none.',
    example: 'W10-1808-32000001',
    maxLength: 35,
    hint: () => SST_NUMBER_HINT,
    required: false,
  })
  sstNumber?: string;
}

/** The optional texts of a buyer. */
export const RECIPIENT_TEXTS = ['phone', 'email', 'sstNumber'] as const satisfies readonly (keyof RecipientDto)[];

export type RecipientTexts = Readonly<Partial<Record<(typeof RECIPIENT_TEXTS)[number], string | null>>>;
