import { Inject } from '@nestjs/common';
import { SubCommand } from 'nest-commander';
import { DataSource } from 'typeorm';
import type { Environment } from '../config/environment.js';
import { TenantService } from '../tenants/tenant.service.js';
import { OperatorCommand, TENANT_OPTION, uuidOf } from './operator-command.js';
import { type Report, REPORT_PRINTER, type ReportPrinter } from './output.js';

interface Unblocked {
  readonly environment: Environment;
  /** Why it waited, as `queue show` names it. */
  readonly reason: string;
}

const UNBLOCK = /* sql */ `
  UPDATE dispatch_lane l SET failures = 0, blocked_until = NULL, blocked_since = NULL, blocked_reason = NULL
    FROM (SELECT tenant_id, environment, operation, blocked_reason FROM dispatch_lane
           WHERE tenant_id = $1 AND blocked_reason IS NOT NULL FOR UPDATE) was
   WHERE (l.tenant_id, l.environment, l.operation) = (was.tenant_id, was.environment, was.operation)
  RETURNING l.environment, was.blocked_reason AS reason`;

// A refused login is remembered for a minute: a lease that nobody owns.
const FORGET_REFUSAL = /* sql */ `
  UPDATE authority_token SET login_until = NULL WHERE tenant_id = $1 AND login_owner IS NULL`;

@SubCommand({ name: 'retry', description: 'send what a tenant waits for at once, such as after it appointed us again' })
export class QueueRetryCommand extends OperatorCommand {
  protected readonly options = [TENANT_OPTION];

  constructor(
    @Inject(REPORT_PRINTER) printer: ReportPrinter,
    private readonly dataSource: DataSource,
    private readonly tenants: TenantService,
  ) {
    super(printer);
  }

  protected async execute(given: Record<string, string | undefined>): Promise<Report> {
    const tenantId = uuidOf('--tenant', given.tenant);
    await this.tenants.show(tenantId);
    const unblocked = await this.dataSource.transaction(async (tx) => {
      await tx.query(FORGET_REFUSAL, [tenantId]);
      const [rows] = await tx.query<[Unblocked[], number]>(UNBLOCK, [tenantId]);
      return rows;
    });
    const lines = unblocked.map(({ environment, reason }) => `${environment}: waited as ${reason}, goes on now`);
    return { json: { unblocked }, text: lines.length === 0 ? 'Nothing held this tenant up.' : lines.join('\n') };
  }
}
