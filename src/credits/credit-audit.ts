import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** What the audit found wrong: one thing of one tenant. */
export interface Deviation {
  readonly tenantId: string;
  /** Which comparison failed, such as `balance against lots`. */
  readonly deviation: string;
  /** The row: `account`, `entry 17`, `submit 01a1…`. */
  readonly subject: string;
  readonly expected: string;
  readonly found: string;
}

/**
 * The audit of a tenant, or of all for null, since an instant, or of everything for `-infinity`; for any connection.
 */
export const AUDIT_CREDITS = /* sql */ `
  SELECT tenant_id AS "tenantId", deviation, subject, expected, found
    FROM audit_credits($1, $2::timestamptz) ORDER BY tenant_id, subject, deviation`;

const SINCE_BEGINNING = '-infinity';

/**
 * Compares the credits with themselves and with what they paid for: no deviation is what must come of it
 * (docs/rules.md#credits).
 */
@Injectable()
export class CreditAudit {
  constructor(private readonly dataSource: DataSource) {}

  /** Everything that there is of a tenant, or of all for null. */
  auditAll(tenantId: string | null): Promise<Deviation[]> {
    return this.run(tenantId, SINCE_BEGINNING);
  }

  /** What all tenants have added in the last seconds; what came before counts as sound. */
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
