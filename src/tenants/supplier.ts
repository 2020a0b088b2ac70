import type { Supplier } from '../documents/simplified-document.js';
import type { TenantProfile } from './tenant-profile.js';

/** Builds the supplier of documents or returns the missing parts of the profile (docs/rules.md#order-of-checks). */
export function buildSupplier(tenant: TenantProfile): Supplier | { missing: string[] } {
  const { name, tin, idType, idValue, msic, activity, phone } = tenant;
  const address = buildAddress(tenant);
  if (!name || !tin || !idType || !idValue || !msic || !activity || address === null || !phone) {
    return { missing: listMissing(tenant) };
  }
  return {
    name,
    tin,
    idType,
    idValue,
    msic,
    activity,
    phone,
    ...address,
    sstNumber: tenant.sstNumber,
    ttxNumber: tenant.ttxNumber,
    email: tenant.email,
    defaultTaxType: tenant.defaultTaxType,
    defaultClassification: tenant.defaultClassification,
  };
}

export function listMissing(tenant: TenantProfile): string[] {
  const parts: [label: string, isComplete: boolean][] = [
    ['name', Boolean(tenant.name)],
    ['TIN', Boolean(tenant.tin)],
    ['id', Boolean(tenant.idType && tenant.idValue)],
    ['MSIC', Boolean(tenant.msic)],
    ['activity', Boolean(tenant.activity)],
    ['address', buildAddress(tenant) !== null],
    ['phone', Boolean(tenant.phone)],
  ];
  return parts.filter(([, isComplete]) => !isComplete).map(([label]) => label);
}

type Address = Pick<Supplier, 'addressLines' | 'city' | 'postcode' | 'stateCode' | 'country'>;

function buildAddress({
  addressLine1,
  addressLine2,
  city,
  postcode,
  stateCode,
  country,
}: TenantProfile): Address | null {
  if (!addressLine1 || !city || !postcode || !stateCode || !country) return null;
  return {
    addressLines: addressLine2 ? [addressLine1, addressLine2] : [addressLine1],
    city,
    postcode,
    stateCode,
    country,
  };
}
