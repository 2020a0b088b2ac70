import type { DataSource } from 'typeorm';
import type { GrantedLease, LeaseRequest } from './bucket.js';

interface LeaseRow extends GrantedLease {
  readonly bucket: string;
}

const LEASE = /* sql */ `
  SELECT bucket, granted, lease_end AS "leaseEnd", remaining, free_in AS "freeIn" FROM lease_rate_limits($1)`;

/** Leases of several limits, in one statement. @returns by their buckets */
export async function leaseRateLimits(
  dataSource: DataSource,
  requests: readonly LeaseRequest[],
): Promise<ReadonlyMap<string, GrantedLease>> {
  const rows = await dataSource.query<LeaseRow[]>(LEASE, [JSON.stringify(requests)]);
  return new Map(rows.map(({ bucket, ...lease }) => [bucket, lease]));
}
