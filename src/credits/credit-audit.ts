import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface Deviation {
  readonly tenantId: string;
  /** The failed comparison, such as `balance against lots`. */
  readonly deviation: string;
  /** The row, such as `account`, `entry 17` or `submit 01a1…`. */
  readonly subject: string;
  readonly expected: string;
  readonly found: string;
}

/** Audits a tenant, or all tenants if null, since a time or `-infinity`. */
export const AUDIT_CREDITS = /* sql */ `
  SELECT tenant_id AS "tenantId", deviation, subject, expected, found
    FROM audit_credits($1, $2::timestamptz) ORDER BY tenant_id, subject, deviation`;

const SINCE_BEGINNING = '-infinity';

/** Checks that balances, lots, entries and charges are consistent (docs/rules.md#credits). */
@Injectable()
export class CreditAudit {
  constructor(private readonly dataSource: DataSource) {}

  /** Audits all data of a tenant, or of all tenants if null. */
  auditAll(tenantId: string | null): Promise<Deviation[]> {
    return this.run(tenantId, SINCE_BEGINNING);
  }

  /** Audits the entries of all tenants in the last `seconds`. Assumes that earlier data is consistent. */
  async auditLast(seconds: number): Promise<Deviation[]> {
    const [{ since }] = await this.dataSource.query<{ since: Date }[]>(
      'SELECT service_now() - make_interval(secs => $1) AS since',
      [seconds],
    );
    return this.run(null, since);
  }

  private run(tenantId: string | null, since: Date | typeof SINCE_BEGINNING): Promise<Deviation[]> {
    return this.dataSource.query<Deviation[]>(AUDIT_CREDITS, [tenantId, since]);
  }
}
