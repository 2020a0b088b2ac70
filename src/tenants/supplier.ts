import type { Supplier } from '../documents/simplified-document.js';
import type { Tenant } from '../entities/tenant.entity.js';

/**
 * The tenant as the issuer of its documents, or what its profile still lacks, in the words of D3: name, TIN, id, MSIC,
 * activity, address, phone.
 */
export function supplierOf(tenant: Tenant): Supplier | { missing: string[] } {
  const { name, tin, idType, idValue, msic, activity, phone } = tenant;
  const address = addressOf(tenant);
  if (!name || !tin || !idType || !idValue || !msic || !activity || address === null || !phone) {
    return { missing: missingOf(tenant) };
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

function missingOf(tenant: Tenant): string[] {
  const parts: [label: string, isComplete: boolean][] = [
    ['name', Boolean(tenant.name)],
    ['TIN', Boolean(tenant.tin)],
    ['id', Boolean(tenant.idType && tenant.idValue)],
    ['MSIC', Boolean(tenant.msic)],
    ['activity', Boolean(tenant.activity)],
    ['address', addressOf(tenant) !== null],
    ['phone', Boolean(tenant.phone)],
  ];
  return parts.filter(([, isComplete]) => !isComplete).map(([label]) => label);
}

type Address = Pick<Supplier, 'addressLines' | 'city' | 'postcode' | 'stateCode' | 'country'>;

function addressOf({ addressLine1, addressLine2, city, postcode, stateCode, country }: Tenant): Address | null {
  if (!addressLine1 || !city || !postcode || !stateCode || !country) return null;
  return {
    addressLines: addressLine2 ? [addressLine1, addressLine2] : [addressLine1],
    city,
    postcode,
    stateCode,
    country,
  };
}
