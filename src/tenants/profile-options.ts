/** The options of `tenant create` and `tenant update` (D18), by the field of the profile that each one sets. */
export interface ProfileOptions {
  readonly name?: string;
  readonly tin?: string;
  readonly idType?: string;
  readonly idValue?: string;
  readonly sst?: string;
  readonly ttx?: string;
  readonly msic?: string;
  readonly activity?: string;
  readonly addressLine1?: string;
  readonly addressLine2?: string;
  readonly city?: string;
  readonly postcode?: string;
  readonly state?: string;
  readonly country?: string;
  readonly phone?: string;
  readonly email?: string;
  readonly defaultTaxType?: string;
  readonly defaultClassification?: string;
}

export interface ProfileOption {
  readonly name: keyof ProfileOptions;
  readonly flag: string;
  readonly description: string;
}

export const PROFILE_OPTIONS: readonly ProfileOption[] = [
  { name: 'name', flag: '--name', description: "the organisation's registered name" },
  { name: 'tin', flag: '--tin', description: 'taxpayer identification number, such as C1234567890' },
  { name: 'idType', flag: '--id-type', description: 'BRN, NRIC, PASSPORT or ARMY' },
  { name: 'idValue', flag: '--id-value', description: 'the number of that id' },
  { name: 'sst', flag: '--sst', description: 'sales and service tax registration' },
  { name: 'ttx', flag: '--ttx', description: 'tourism tax registration' },
  { name: 'msic', flag: '--msic', description: 'industry code, five digits' },
  { name: 'activity', flag: '--activity', description: 'what the business does' },
  { name: 'addressLine1', flag: '--address-line1', description: 'first line of the address' },
  { name: 'addressLine2', flag: '--address-line2', description: 'second line of the address' },
  { name: 'city', flag: '--city', description: 'city' },
  { name: 'postcode', flag: '--postcode', description: 'postcode' },
  { name: 'state', flag: '--state', description: 'state, such as selangor' },
  { name: 'country', flag: '--country', description: 'ISO alpha-3 code; MYS when a tenant is created without one' },
  { name: 'phone', flag: '--phone', description: 'phone with country code, such as +60312345678' },
  { name: 'email', flag: '--email', description: 'e-mail address' },
  { name: 'defaultTaxType', flag: '--default-tax-type', description: 'tax type of taxed lines that name none (01)' },
  {
    name: 'defaultClassification',
    flag: '--default-classification',
    description: 'classification of lines that name none',
  },
];
