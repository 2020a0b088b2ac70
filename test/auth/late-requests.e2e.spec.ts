import { describe, expect, it } from 'vitest';
import type { BulkJobDetailDto } from '../../src/dashboard-api/bulk-jobs/dto/bulk-job.dto.js';
import { issue } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { openConnection } from '../support/raw-connection.js';
import { createSubject } from './late-access.js';
import { CHANGING_OPERATIONS, describeLateRequests, whileLocked } from './late-requests.js';
import { createStage, OPEN_OPERATIONS, SCENARIOS } from './late-scenarios.js';

// A request has no effect after its access has ended, even if its body arrives later (docs/security.md).
// `npm run check -- holes` runs every way for every operation.

const service = await startFileService({ simulator: { tokenSeconds: 864_000 } });
const stage = await createStage(service);

describe('the tested operations', () => {
  it('include every operation that requires a key or a session', () => {
    const known = new Set([...OPEN_OPERATIONS, ...SCENARIOS.map(({ operation }) => operation)]);
    const names = CHANGING_OPERATIONS.map(({ operationId }) => operationId);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
    expect(OPEN_OPERATIONS.filter((name) => !names.includes(name))).toEqual([]);
  });
});

describeLateRequests(stage, { isFull: false });

describe('the late body of a removed owner', () => {
  it('is rejected before it is validated', async () => {
    const subject = await createSubject(stage, 'owner');
    const connection = openConnection(service);
    const headers = { ...subject.headers, 'Content-Type': 'application/json', Expect: '100-continue' };
    connection.begin('POST', `/api/dashboard${stage.path}/invitations`, { ...headers, 'Content-Length': 2 });
    expect((await connection.response()).status).toBe(100);
    await stage.owner.browser.call('DELETE', `${stage.path}/members/${subject.userId}`);
    connection.write('{}');
    const { status, body } = await connection.response();
    connection.destroy();
    expect([status, body.code]).toEqual([404, 'organisation_not_found']);
  });
});

describe('a bulk job', () => {
  it('pauses when its user is removed between two documents', async () => {
    const { tenant, tenantId, owner } = stage;
    const subject = await createSubject(stage, 'member');
    await issue(service, tenant, ...[2, 3, 4].map((count) => invoice({ referenceId: `SIM-INVALID-CF358-${count}` })));
    const jobs = `${stage.path}/sandbox/bulk-jobs`;
    const change = { kind: 'correct', field: '/recipient/tin', value: 'C5555555550' };
    const documents = await readFailed();
    const { otherBrowser: member } = subject;
    const { body: job } = await member.post<BulkJobDetailDto>(jobs, { ...change, documents });
    await service.tick('bulk');
    expect((await member.post(`${jobs}/${job.jobId}/start`, {})).status).toBe(200);
    // The job waits for this row after it has submitted the first document.
    const lock = 'SELECT FROM bulk_job_item WHERE job_id = $1 ORDER BY transaction_id LIMIT 1 FOR UPDATE';
    await whileLocked(service, [lock, job.jobId], async (holder, blocked) => {
      const tick = service.tick('bulk');
      await blocked();
      await holder.query('DELETE FROM membership WHERE tenant_id = $1 AND user_id = $2', [tenantId, subject.userId]);
      await holder.commitTransaction();
      await tick;
    });
    const { body: paused } = await owner.browser.get<BulkJobDetailDto>(`${jobs}/${job.jobId}`);
    expect(paused).toMatchObject({
      status: 'paused',
      pauseReason: expect.stringContaining('may no longer submit documents'),
      counts: { done: 1, ready: 2 },
    });
    const attempts = await service.owner.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM document_transaction
        WHERE tenant_id = $1 AND reference_id LIKE 'SIM-INVALID-CF358-%' GROUP BY document_id ORDER BY 1`,
      [tenantId],
    );
    expect(attempts.map(({ count }) => count)).toEqual([1, 1, 1, 2]);
  });
});

/** The attempts of the invalid documents that the bulk job corrects. */
function readFailed(): Promise<{ transactionId: string }[]> {
  return service.owner.query(
    `SELECT id AS "transactionId" FROM document_transaction
      WHERE tenant_id = $1 AND reference_id LIKE 'SIM-INVALID-CF358-%' AND id <> $2`,
    [stage.tenantId, stage.failedId],
  );
}
