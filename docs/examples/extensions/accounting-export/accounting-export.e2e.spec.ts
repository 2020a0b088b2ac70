import { describe, expect, it } from 'vitest';
import { armFailpoints } from '../../../../src/common/failpoints/failpoints.js';
import { createTenant, issue } from '../../../../test/support/client.js';
import { creditNote, invoice, reference } from '../../../../test/support/documents.js';
import { expectTenantTable } from '../../../../test/support/extension-table.js';
import { startFileService } from '../../../../test/support/file-service.js';
import { AccountingExportModule } from './accounting-export.module.js';
import { JournalLine } from './journal-line.entity.js';

const service = await startFileService({ extensions: [AccountingExportModule] });

const readJournal = (tenantId: string): Promise<object[]> =>
  service.owner.query(
    `SELECT environment, document_type AS "documentType", reference_id AS "referenceId", amount
       FROM journal_line WHERE tenant_id = $1 ORDER BY posted_at`,
    [tenantId],
  );

describe('the accounting export', () => {
  it('has a line for each document that became Valid, and no other, with what it comes to', async () => {
    const tenant = await createTenant(service);
    const referenceId = reference();
    await issue(service, tenant, invoice({ referenceId }), invoice({ referenceId: reference('SIM-INVALID-CV302') }));
    const refund = creditNote({ referenceId });
    await issue(service, tenant, refund);
    expect(await readJournal(tenant.tenantId)).toEqual([
      { environment: 'sandbox', documentType: 'invoice', referenceId, amount: '205.20' },
      { environment: 'sandbox', documentType: 'credit_note', referenceId: refund.referenceId, amount: '-205.20' },
    ]);
  });

  it('has one line of a document whose delivery failed after the line was written', async () => {
    const tenant = await createTenant(service);
    armFailpoints(new Map([['deliver.after_handle', 'throw']]));
    await issue(service, tenant, invoice());
    armFailpoints(new Map());
    await service.settle();
    expect(await readJournal(tenant.tenantId)).toHaveLength(1);
  });

  it('keeps its lines in a table of tenants, which is that of its entity', async () => {
    await expectTenantTable(service, JournalLine);
  });
});
