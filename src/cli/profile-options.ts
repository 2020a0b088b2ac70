import type { ProfileChange } from '../tenants/profile-change.js';
import { toOptionName } from './operator-command.js';
import type { ProfileField } from '../tenants/tenant-profile.js';

export interface ProfileOption {
  /** What it sets. */
  readonly field: ProfileField;
  readonly flag: string;
  readonly description: string;
}

/** The options of `tenant create` and `tenant update` (docs/rules.md#commands-and-settings). */
export const PROFILE_OPTIONS: readonly ProfileOption[] = [
  { field: 'name', flag: '--name', description: "the organisation's registered name" },
  { field: 'tin', flag: '--tin', description: 'taxpayer identification number, such as C1234567890' },
  { field: 'idType', flag: '--id-type', description: 'BRN, NRIC, PASSPORT or ARMY' },
  { field: 'idValue', flag: '--id-value', description: 'the number of that id' },
  { field: 'sstNumber', flag: '--sst', description: 'sales and service tax registration' },
  { field: 'ttxNumber', flag: '--ttx', description: 'tourism tax registration' },
  { field: 'msic', flag: '--msic', description: 'industry code, five digits' },
  { field: 'activity', flag: '--activity', description: 'what the business does' },
  { field: 'addressLine1', flag: '--address-line1', description: 'first line of the address' },
  { field: 'addressLine2', flag: '--address-line2', description: 'second line of the address' },
  { field: 'city', flag: '--city', description: 'city' },
  { field: 'postcode', flag: '--postcode', description: 'postcode' },
  { field: 'stateCode', flag: '--state', description: 'state, such as selangor' },
  { field: 'country', flag: '--country', description: 'ISO alpha-3 code; MYS when a tenant is created without one' },
  { field: 'phone', flag: '--phone', description: 'phone with country code, such as +60312345678' },
  { field: 'email', flag: '--email', description: 'e-mail address' },
  { field: 'defaultTaxType', flag: '--default-tax-type', description: 'tax type of taxed lines that name none (01)' },
  {
    field: 'defaultClassification',
    flag: '--default-classification',
    description: 'classification of lines that name none',
  },
];

const flags = new Map<string, string>(PROFILE_OPTIONS.map(({ field, flag }) => [field, flag]));

/** The change that a command's options ask for. */
export function toProfileChange(given: Readonly<Record<string, string | undefined>>): ProfileChange {
  const changes = PROFILE_OPTIONS.map(({ field, flag }) => [field, given[toOptionName(flag)]] as const);
  return Object.fromEntries(changes.filter(([, text]) => text !== undefined));
}

/** The option that sets the field of a profile. */
export function findFlag(field: string): string {
  return flags.get(field) ?? field;
}
