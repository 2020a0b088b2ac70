import type { DataSource } from 'typeorm';
import { Tenant } from '../entities/tenant.entity.js';
import type { TenantProfile } from './tenant-profile.js';
import { UNVERIFIED, type Verification } from './verification/verification.js';

/** A tenant's row as a statement gives it together with other things: a JSON object of its columns. */
export type TenantRow = Readonly<Record<string, unknown>>;

/** Where the tenant of such a row stands with its TIN, for a statement that gives that as `verification`. */
export function toVerification({ verification }: TenantRow): Verification {
  return (verification as Verification | null | undefined) ?? UNVERIFIED;
}

/** The tenant of such a row; times, which JSON has as text, are left out. */
export function toTenant(dataSource: DataSource, row: TenantRow): TenantProfile & Pick<Tenant, 'tenantId'> {
  const columns = dataSource.getMetadata(Tenant).columns.filter(({ propertyName }) => propertyName !== 'createdAt');
  const members = columns.map(({ databaseName, propertyName }) => [propertyName, row[databaseName]]);
  return Object.fromEntries(members) as TenantProfile & Pick<Tenant, 'tenantId'>;
}
