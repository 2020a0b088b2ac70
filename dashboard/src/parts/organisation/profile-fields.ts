import type { Profile } from './queries';

export type ProfileField = keyof Profile;

export type ProfileInputKind = 'text' | 'idType' | 'industry' | 'state' | 'country' | 'taxType' | 'classification';

export interface FieldDescription {
  label: string;
  description?: string;
  input?: ProfileInputKind;
  isNeeded?: boolean;
  autoComplete?: string;
}

export const FIELDS: Record<ProfileField, FieldDescription> = {
  name: { label: 'Registered name', isNeeded: true, autoComplete: 'organization' },
  tin: {
    label: 'Taxpayer identification number (TIN)',
    description: 'On the letters of LHDN and in MyTax: C and digits for a company, IG and digits for a person.',
    isNeeded: true,
  },
  idType: { label: 'Kind of id', input: 'idType', isNeeded: true },
  idValue: {
    label: 'Number of the id',
    description: 'The BRN of SSM has 12 digits. Write any other BRN as registered, with its hyphens.',
    isNeeded: true,
  },
  sstNumber: { label: 'SST registration', description: 'Leave empty if you are not registered for SST.' },
  ttxNumber: {
    label: 'Tourism tax registration',
    description: 'Leave empty if you are not registered for tourism tax.',
  },
  addressLine1: { label: 'Address', isNeeded: true, autoComplete: 'address-line1' },
  addressLine2: { label: 'Address, second line', autoComplete: 'address-line2' },
  city: { label: 'City', isNeeded: true, autoComplete: 'address-level2' },
  postcode: { label: 'Postcode', isNeeded: true, autoComplete: 'postal-code' },
  stateCode: { label: 'State', input: 'state', isNeeded: true },
  country: { label: 'Country', input: 'country', isNeeded: true },
  phone: {
    label: 'Phone',
    description: 'With the country code, such as +60312345678.',
    isNeeded: true,
    autoComplete: 'tel',
  },
  email: { label: 'E-mail address', description: 'Printed on your invoices.', autoComplete: 'email' },
  msic: {
    label: 'Industry (MSIC)',
    description: 'Search by a word of what the business does, or by the code.',
    input: 'industry',
    isNeeded: true,
  },
  activity: { label: 'Business activity', description: 'In your own words; printed on your invoices.', isNeeded: true },
  defaultTaxType: {
    label: 'Tax type of taxed lines',
    description: 'Used for taxed lines without a tax type.',
    input: 'taxType',
  },
  defaultClassification: {
    label: 'Classification of lines',
    description: 'Used for lines without a classification. If empty, 022 (others) is used.',
    input: 'classification',
  },
};

/** Field for states outside Malaysia, which the authority does not list. */
export const STATE_ABROAD: FieldDescription = {
  label: 'State',
  description: 'Its name, or 17 if the country has no states.',
  isNeeded: true,
  autoComplete: 'address-level1',
};

export interface ProfileSection {
  title: string;
  fields: readonly ProfileField[];
}

export const SECTIONS = {
  identity: {
    title: 'Organisation and TIN',
    fields: ['name', 'tin', 'idType', 'idValue', 'sstNumber', 'ttxNumber'],
  },
  contact: {
    title: 'Address and contact',
    fields: ['addressLine1', 'addressLine2', 'city', 'postcode', 'country', 'stateCode', 'phone', 'email'],
  },
  business: {
    title: 'Business and defaults',
    fields: ['msic', 'activity', 'defaultTaxType', 'defaultClassification'],
  },
} as const satisfies Record<string, ProfileSection>;

export const ID_TYPES = [
  { value: 'BRN', label: 'BRN (company registration)' },
  { value: 'NRIC', label: 'NRIC (MyKad)' },
  { value: 'PASSPORT', label: 'Passport' },
  { value: 'ARMY', label: 'Army number' },
];

/** Whether all required fields of a section have a value. */
export function isComplete({ fields }: ProfileSection, profile: Profile): boolean {
  return fields.every((field) => FIELDS[field].isNeeded !== true || Boolean(profile[field]));
}
