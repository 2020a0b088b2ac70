import type { DataSource } from 'typeorm';
import { Tenant } from '../entities/tenant.entity.js';
import type { TenantProfile } from './tenant-profile.js';
import { UNVERIFIED, type Verification } from './verification/verification.js';

/** A tenant row as a JSON object of its columns. */
export type TenantRow = Readonly<Record<string, unknown>>;

export function toVerification({ verification }: TenantRow): Verification {
  return (verification as Verification | null | undefined) ?? UNVERIFIED;
}

/** Converts a row, without its times, which JSON represents as text. */
export function toTenant(dataSource: DataSource, row: TenantRow): TenantProfile & Pick<Tenant, 'tenantId'> {
  const columns = dataSource.getMetadata(Tenant).columns.filter(({ propertyName }) => propertyName !== 'createdAt');
  const members = columns.map(({ databaseName, propertyName }) => [propertyName, row[databaseName]]);
  return Object.fromEntries(members) as TenantProfile & Pick<Tenant, 'tenantId'>;
}
