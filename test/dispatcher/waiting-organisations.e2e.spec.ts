import { describe, expect, it } from 'vitest';
import { examine } from '../../src/cli/doctor/findings.js';
import { readMetrics } from '../../src/common/metrics.js';
import { openLogin } from '../../src/processes/open-login.js';
import { accept, createTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { findValue, parseMetrics } from '../support/metrics.js';

const service = await startFileService();

async function listQueueFindings(): Promise<string[]> {
  const environment = { ...service.settings, DATABASE_OWNER_URL: service.database.ownerUrl };
  const findings = await examine({ environment, problem: null }, openLogin);
  return findings.filter(({ check }) => check === 'queues').map(({ result, found }) => `${result}: ${found}`);
}

async function countBlocked(): Promise<number> {
  const samples = parseMetrics(await readMetrics());
  return findValue(samples, 'einvoice_waiting_organisations', { environment: 'sandbox', reason: 'not_appointed' });
}

async function sendDocumentOfNewTenant(): Promise<void> {
  await accept(service, await createTenant(service), [invoice()]);
  await service.tick('submit');
}

describe('a problem that makes several organisations wait', () => {
  it('is reported by doctor and counted by reason in the metrics', async () => {
    expect(await listQueueFindings()).toEqual(['good: no organisation waits']);
    await service.control('faults', [{ when: { api: 'token' }, fault: 'login-403', times: 100_000 }]);
    await sendDocumentOfNewTenant();
    expect(await listQueueFindings()).toEqual(['advice: documents of one organisation wait in sandbox: not_appointed']);
    await sendDocumentOfNewTenant();
    await sendDocumentOfNewTenant();
    expect(await listQueueFindings()).toEqual(['problem: documents of 3 organisations wait in sandbox: not_appointed']);
    expect(await countBlocked()).toBe(3);
  });

  it('is reported for as long as the organisations wait', async () => {
    await service.owner.query(`UPDATE tenant_queue SET waiting_since = waiting_since - interval '9 days'`);
    expect(await listQueueFindings()).toEqual(['problem: documents of 3 organisations wait in sandbox: not_appointed']);
    expect(await countBlocked()).toBe(3);
  });
});

describe('organisations that started to wait on different days', () => {
  it('are reported by doctor as advice and counted as one in the metrics', async () => {
    await service.owner.query(
      `UPDATE tenant_queue l SET waiting_since = service_now() - o.days * interval '2 days'
         FROM (SELECT tenant_id, row_number() OVER (ORDER BY tenant_id) AS days FROM tenant_queue
                WHERE waiting_code IS NOT NULL) o
        WHERE l.tenant_id = o.tenant_id AND l.waiting_code IS NOT NULL`,
    );
    expect(await listQueueFindings()).toEqual(['advice: documents of 3 organisations wait in sandbox: not_appointed']);
    expect(await countBlocked()).toBe(1);
    await sendDocumentOfNewTenant();
    await sendDocumentOfNewTenant();
    expect(await listQueueFindings()).toEqual([
      'problem: documents of 5 organisations wait in sandbox: not_appointed; 2 of them began to wait within 24 hours',
    ]);
    expect(await countBlocked()).toBe(2);
  });
});
