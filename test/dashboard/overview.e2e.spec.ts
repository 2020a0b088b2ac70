import { beforeEach, expect, it } from 'vitest';
import type { OverviewDto } from '../../src/dashboard-api/overview/dto/overview.dto.js';
import { cancel, createTenant, submit, type TestTenant } from '../support/client.js';
import { type Browser, signUpInto } from '../support/dashboard.js';
import { creditNote, invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService();

let tenant: TestTenant;
let viewer: Browser;
beforeEach(async () => {
  tenant = await createTenant(service, { credits: 100 });
  viewer = await signUpInto(service, tenant.tenantId, 'viewer');
});

async function overview(query = '', browser = viewer): Promise<OverviewDto> {
  const path = `/organisations/${tenant.tenantId}/sandbox/overview${query}`;
  const response = await browser.get<OverviewDto>(path);
  expect(response.status, response.text).toBe(200);
  return response.body;
}

it('overview returns zeros for a new organisation', async () => {
  const body = await overview();
  expect(body.days).toHaveLength(30);
  expect(body.days.every(({ counts, creditsUsed }) => counts.valid + counts.queued + creditsUsed === 0)).toBe(true);
  expect(body.waiting).toEqual({
    queued: 0,
    held: 0,
    processing: 0,
    inDoubt: 0,
    atAuthority: 0,
    late: 0,
    lateDocuments: [],
    usualSeconds: 900,
    oldest: null,
  });
  expect([body.needsAction.documents, body.needsAction.causes, body.creditsLeft]).toEqual([0, [], 100]);
});

it('overview counts documents and credits per day in Malaysian time', async () => {
  await service.advanceToNoon();
  const accepted = await submit(service, tenant, [
    invoice(),
    invoice(),
    invoice({ referenceId: 'SIM-INVALID-CF358-9' }),
  ]);
  await service.settle();
  await service.advance(86_400);
  await submit(service, tenant, [invoice()]);
  await cancel(service, tenant, { documentId: accepted.body.documents[0].documentId });
  const browser = await signUpInto(service, tenant.tenantId, 'viewer');
  const { days, creditsLeft } = await overview('?days=7', browser);
  expect(days).toHaveLength(7);
  const [yesterday, today] = days.slice(-2);
  expect(yesterday).toMatchObject({ counts: { valid: 2, invalid: 1, queued: 0 }, creditsUsed: 3 });
  expect(today).toMatchObject({ counts: { valid: 0, invalid: 0, queued: 1 }, creditsUsed: 2 });
  expect(today.day > yesterday.day).toBe(true);
  expect(creditsLeft).toBe(95);
});

it('overview counts queued, held and in-doubt documents', async () => {
  const response = await submit(service, tenant, [
    invoice({ referenceId: 'SIM-DROP-1' }),
    invoice({ referenceId: 'W-1' }),
    creditNote({ referenceId: 'W-1' }),
  ]);
  expect(response.status, response.text).toBe(200);
  expect((await overview()).waiting).toMatchObject({ queued: 3, held: 1, processing: 0, inDoubt: 0 });
  while ((await service.tick('submit')) > 0);
  await service.advance(60);
  const { waiting } = await overview();
  expect(waiting).toMatchObject({ queued: 1, held: 1, processing: 2, inDoubt: 2 });
  expect(waiting.oldest?.waitingSeconds).toBeGreaterThanOrEqual(60);
  await service.settle();
});

it('overview counts documents under validation as waiting and identifies late ones', async () => {
  await submit(service, tenant, [invoice({ referenceId: 'SIM-SLOW-1200-1' })]);
  while ((await service.tick('submit')) > 0);
  expect((await overview()).waiting).toMatchObject({ queued: 0, processing: 0, atAuthority: 1, late: 0 });
  await submit(service, tenant, [creditNote({ referenceId: 'SIM-SLOW-1200-1' })]);
  await service.advance(16 * 60);
  await submit(service, tenant, [invoice({ referenceId: 'NEW-1' })]);
  const { waiting } = await overview();
  // A held note is never late, and the new document is not late yet.
  expect(waiting).toMatchObject({
    queued: 2,
    held: 1,
    atAuthority: 1,
    late: 1,
    oldest: { referenceId: 'SIM-SLOW-1200-1' },
  });
  expect(waiting.lateDocuments).toMatchObject([{ referenceId: 'SIM-SLOW-1200-1' }]);
  expect(waiting.lateDocuments[0].waitingSeconds).toBeGreaterThanOrEqual(16 * 60);
  await service.advance(5 * 60);
  await service.settle();
});

it('overview lists the most frequent causes of failures with their fix', async () => {
  for (const referenceId of ['SIM-INVALID-CF358-11', 'SIM-INVALID-CF358-12', 'SIM-INVALID-CF321-1']) {
    await submit(service, tenant, [invoice({ referenceId })]);
  }
  await service.settle();
  const { needsAction } = await overview();
  expect(needsAction.documents).toBe(3);
  expect(needsAction.causes.map(({ authorityCode, documents }) => [authorityCode, documents])).toEqual([
    ['CF358', 2],
    ['CF321', 1],
  ]);
  const [cause] = needsAction.causes;
  expect(cause).toMatchObject({ hint: expect.any(String), field: 'Buyer’s TIN' });
  expect(cause.examples.map(({ referenceId }) => referenceId)).toEqual([
    'SIM-INVALID-CF358-12',
    'SIM-INVALID-CF358-11',
  ]);
});

it('overview ignores replaced attempts', async () => {
  const unknownParent = { referenceId: 'OLD-1', authorityUuid: 'F9D425P6DS7D8IU0123456789A' };
  await submit(service, tenant, [invoice({ referenceId: 'R-1' }), creditNote(unknownParent, { referenceId: 'R-2' })]);
  await service.settle();
  const sum = ({ days }: OverviewDto) => {
    const counts = days.map((day) => day.counts);
    return [counts.reduce((all, { valid }) => all + valid, 0), counts.reduce((all, { invalid }) => all + invalid, 0)];
  };
  const before = await overview();
  expect([sum(before), before.needsAction.documents]).toEqual([[1, 1], 1]);
  await submit(service, tenant, [creditNote({ referenceId: 'R-1' }, { referenceId: 'R-2' })]);
  const waiting = await overview();
  expect([sum(waiting), waiting.needsAction.documents, waiting.waiting.queued]).toEqual([[1, 0], 0, 1]);
  await service.settle();
  const after = await overview();
  expect([sum(after), after.needsAction.documents]).toEqual([[2, 0], 0]);
});

it('overview rejects an unsupported number of days', async () => {
  const response = await viewer.get<{ message: string }>(`/organisations/${tenant.tenantId}/sandbox/overview?days=8`);
  expect([response.status, response.body.message]).toEqual([400, 'days must be one of: 7, 30, 90']);
});
