import type { Supplier } from './simplified-document.js';

interface ProfileFieldText {
  readonly label: string;
  readonly correction: string;
}

const PHONE = 'enter the number as + and 7 to 19 digits with the country code, such as +60312345678';

const FIELDS = {
  name: { label: 'Registered name', correction: 'enter the name as registered, in at most 300 characters' },
  tin: {
    label: 'Taxpayer identification number (TIN)',
    correction: "enter the TIN that the authority's taxpayer portal shows for the organisation, such as C1234567890",
  },
  idValue: {
    label: 'Number of the id',
    correction: 'enter the number that is registered with the TIN, such as the BRN 201901234567',
  },
  sstNumber: {
    label: 'SST registration',
    correction: 'enter the number of the SST registration, or leave the field empty without one',
  },
  ttxNumber: {
    label: 'Tourism tax registration',
    correction: 'enter the number of the tourism tax registration, or leave the field empty without one',
  },
  addressLine1: { label: 'Address', correction: 'enter the address in lines of at most 150 characters' },
  addressLine2: {
    label: 'Address, second line',
    correction: 'enter at most 150 characters, or leave the field empty',
  },
  city: { label: 'City', correction: 'enter the city of the address, such as Kuala Lumpur' },
  postcode: { label: 'Postcode', correction: 'enter the postcode of the address, such as 50480' },
  stateCode: { label: 'State', correction: 'choose the state of the address from the list; abroad, enter its name' },
  country: { label: 'Country', correction: 'choose the country of the address from the list, such as MYS' },
  phone: { label: 'Phone', correction: PHONE },
  email: {
    label: 'E-mail address',
    correction: 'enter one address of at most 320 characters, or leave the field empty',
  },
  msic: { label: 'Industry (MSIC)', correction: 'search for the business by a word and choose a code from the list' },
  activity: { label: 'Business activity', correction: 'describe the business in a few words' },
  defaultTaxType: { label: 'Tax type of taxed lines', correction: 'choose a tax type from the list' },
  defaultClassification: {
    label: 'Classification of lines',
    correction: 'choose a classification from the list, or leave the field empty for 022 (others)',
  },
} satisfies Record<string, ProfileFieldText>;

export type ProfileField = keyof typeof FIELDS;

export const PROFILE_FIELD_TEXTS: Readonly<Record<ProfileField, ProfileFieldText>> = FIELDS;

export function isProfileField(name: string): name is ProfileField {
  return Object.hasOwn(FIELDS, name);
}

export function getProfileValue(supplier: Supplier, field: ProfileField): string {
  if (field === 'addressLine1') return supplier.addressLines.at(0) ?? '';
  if (field === 'addressLine2') return supplier.addressLines.at(1) ?? '';
  return supplier[field] ?? '';
}

// Errors about the supplier have no pointer, so the field is identified by the label in the hint.
const NAMED_FIELD = /^Correct "([^"]+)" in the organisation's profile /;

export function readProfileField(hint: string | null): ProfileField | null {
  const label = NAMED_FIELD.exec(hint ?? '')?.[1];
  return (
    Object.keys(FIELDS)
      .filter(isProfileField)
      .find((field) => FIELDS[field].label === label) ?? null
  );
}

export function buildProfileHint(field: ProfileField | null): string {
  const what = field === null ? '' : ` "${FIELDS[field].label}" in`;
  const how = field === null ? '' : `: ${FIELDS[field].correction}`;
  return (
    `Correct${what} the organisation's profile in the dashboard${how}. If you cannot change the profile, ask the ` +
    'operator of this service. Then submit the document again.'
  );
}
