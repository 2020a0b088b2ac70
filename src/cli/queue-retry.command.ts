import { SubCommand } from 'nest-commander';
import { COMMAND_ACTOR } from '../audit/audit.js';
import { retryTenantQueues } from '../dispatcher/operations/retry-tenant-queues.js';
import { OperatorCommand, TENANT_OPTION, parseUuid } from './operator-command.js';
import type { Report } from './output.js';

@SubCommand({
  name: 'retry',
  description: 'send the waiting documents of a tenant immediately, such as after it appointed us again',
})
export class QueueRetryCommand extends OperatorCommand {
  protected readonly options = [TENANT_OPTION];

  protected async execute(given: Record<string, string | undefined>): Promise<Report> {
    const tenantId = parseUuid('--tenant', given.tenant);
    const tenant = await this.tenants.show(tenantId);
    const unblocked = await this.dataSource.transaction((tx) => retryTenantQueues(tx, tenant, COMMAND_ACTOR));
    const lines = unblocked.map(({ environment, reason }) => `${environment}: waited as ${reason}, goes on now`);
    return {
      json: { unblocked },
      text: lines.length === 0 ? 'No queue of this tenant was blocked.' : lines.join('\n'),
    };
  }
}
