import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface Deviation {
  readonly tenantId: string;
  readonly deviation: string;
  /** The row, such as `account`, `entry 17` or `submit 01a1…`. */
  readonly subject: string;
  readonly expected: string;
  readonly found: string;
}

export const AUDIT_CREDITS = /* sql */ `
  SELECT tenant_id AS "tenantId", deviation, subject, expected, found
    FROM audit_credits($1, $2::timestamptz) ORDER BY tenant_id, subject, deviation`;

const SINCE_BEGINNING = '-infinity';

/** Checks the consistency of balances, lots, entries and charges (docs/rules.md#credits). */
@Injectable()
export class CreditAudit {
  constructor(private readonly dataSource: DataSource) {}

  auditAll(tenantId: string | null): Promise<Deviation[]> {
    return this.run(tenantId, SINCE_BEGINNING);
  }

  /** Audits the last `seconds` of all tenants. */
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
