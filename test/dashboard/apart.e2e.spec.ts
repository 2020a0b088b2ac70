import { describe, expect, it } from 'vitest';
import { describeDashboardApi } from '../../src/dashboard-api/dashboard-openapi.js';
import { issue } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { completeProfile, invite, join, newEmail, organisation, type Problem } from '../support/people.js';
import { startFileService } from '../support/file-service.js';
import { insertKey } from '../support/tenants.js';

// Tests every route of the OpenAPI description, so that new routes are covered automatically.

type Organisation = Awaited<ReturnType<typeof organisation>>;

interface Operation {
  readonly method: string;
  /** Path template with parameters in braces. */
  readonly path: string;
  readonly operationId: string;
}

/** Headers and body that pass validation. */
const BODIES: Readonly<Record<string, object>> = {
  rotateKey: { overlapHours: 1 },
  changeRole: { role: 'viewer' },
  changeMemberRole: { role: 'viewer' },
  cancelDocument: { cancellationReason: 'Wrong buyer' },
};

const service = await startFileService();
const operations: Operation[] = Object.entries(describeDashboardApi(service.api).paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, { operationId: string }>).map(([method, { operationId }]) => ({
    method: method.toUpperCase(),
    path,
    operationId,
  })),
);
const [victim, stranger] = [await organisation(service), await organisation(service)];
/** The other organisation's id for each path parameter. */
const victimIds = await readEverything(victim);
// Without a TIN, a cancel fails before the document lookup (docs/rules.md#cancellation).
await service.owner.query(`UPDATE tenant SET tin = 'C20990050041' WHERE tenant_id = $1`, [stranger.tenantId]);

/** Creates one object for each path parameter. */
async function readEverything({ tenantId, browser, path }: Organisation): Promise<Record<string, string>> {
  const member = await join(service, browser, path, 'member');
  await invite(browser, path, newEmail(), 'viewer');
  const order = await browser.post<{ orderId: string }>(`${path}/credits/orders`, { credits: 10 });
  expect(order.status, order.text).toBe(201);
  await completeProfile(service, tenantId);
  const apiKey = await insertKey(service.owner, tenantId);
  const batch = await issue(service, { tenantId, apiKey }, invoice());
  await service.settle();
  const [{ keyId, invitationId }] = await service.owner.query<{ keyId: string; invitationId: string }[]>(
    `SELECT (SELECT id FROM api_key WHERE tenant_id = $1 LIMIT 1) AS "keyId",
            (SELECT id FROM invitation WHERE tenant_id = $1 AND accepted_at IS NULL) AS "invitationId"`,
    [tenantId],
  );
  const { submissionBatchId, documents } = batch;
  const { documentId, transactionId } = documents[0];
  const selected = { kind: 'cancel', reason: 'Wrong buyer', documents: [{ transactionId }] };
  const job = await browser.post<{ jobId: string }>(`${path}/sandbox/bulk-jobs`, selected);
  expect(job.status, job.text).toBe(201);
  const { jobId } = job.body;
  const ids = { jobId, keyId, invitationId, userId: member.userId, orderId: order.body.orderId };
  return { tenantId, ...ids, submissionBatchId, documentId, transactionId };
}

function listParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
}

/** Replaces path parameters with ids. Throws if the test has no id for a parameter. */
function fillAddress({ path }: Operation, tenantId: string, ids = victimIds): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'environment') return 'sandbox';
    const id = name === 'tenantId' ? tenantId : ids[name];
    if (id === undefined) throw new Error(`The victim has no ${name}: give it one above`);
    return id;
  });
  return filled.replace('/api/dashboard', '');
}

function ofOrganisations(): Operation[] {
  return operations.filter(({ path }) => path.startsWith('/api/dashboard/organisations/{tenantId}'));
}

async function readRows({ tenantId }: Organisation): Promise<string> {
  const rows = await service.owner.query<object[]>(
    `SELECT (SELECT json_agg(x ORDER BY id) FROM api_key x WHERE tenant_id = $1) AS keys,
            (SELECT json_agg(x ORDER BY user_id) FROM membership x WHERE tenant_id = $1) AS members,
            (SELECT json_agg(x ORDER BY id) FROM invitation x WHERE tenant_id = $1) AS invitations,
            (SELECT json_agg(x ORDER BY id) FROM credit_order x WHERE tenant_id = $1) AS orders,
            (SELECT json_agg(x ORDER BY id) FROM document_transaction x WHERE tenant_id = $1) AS attempts,
            (SELECT json_agg(x ORDER BY id) FROM bulk_job x WHERE tenant_id = $1) AS jobs,
            (SELECT json_agg(x ORDER BY id) FROM document_cancellation x WHERE tenant_id = $1) AS cancellations,
            (SELECT json_agg(x ORDER BY id) FROM audit_entry x WHERE tenant_id = $1 AND action <> 'file.downloaded') AS audit,
            (SELECT to_json(x) FROM tenant x WHERE tenant_id = $1) AS profile`,
    [tenantId],
  );
  return JSON.stringify(rows);
}

describe('routes of an organisation', () => {
  it('return the same 404 to non-members as for an unknown organisation', async () => {
    const before = await readRows(victim);
    expect(ofOrganisations().length).toBeGreaterThan(25);
    for (const operation of ofOrganisations()) {
      for (const tenantId of [victim.tenantId, '019a8b5e-7c1f-7000-8000-00000000ffff', 'none']) {
        const body = operation.method === 'GET' || operation.method === 'DELETE' ? undefined : {};
        const response = await stranger.browser.call<Problem>(operation.method, fillAddress(operation, tenantId), body);
        const title = `${operation.method} ${operation.path} ${tenantId}`;
        expect([response.status, response.body.code], title).toEqual([404, 'organisation_not_found']);
      }
    }
    expect(await readRows(victim)).toBe(before);
  });

  it("return the same 404 for another organisation's object as for a malformed id", async () => {
    const before = await readRows(victim);
    const withIds = ofOrganisations().filter(
      ({ path }) => listParameters(path).filter((name) => name !== 'tenantId' && name !== 'environment').length > 0,
    );
    expect(withIds.length).toBeGreaterThan(6);
    const noIds = Object.fromEntries(Object.keys(victimIds).map((name) => [name, 'x']));
    for (const operation of withIds) {
      const { method, path, operationId } = operation;
      const body = method === 'GET' || method === 'DELETE' ? undefined : (BODIES[operationId] ?? {});
      const headers = { 'idempotency-key': `apart-${operationId}` };
      for (const ids of [victimIds, noIds]) {
        const address = fillAddress(operation, stranger.tenantId, ids);
        const response = await stranger.browser.call<Problem>(method, address, body, { headers });
        expect(response.status, `${method} ${path}: ${response.text}`).toBe(404);
      }
    }
    expect(await readRows(victim)).toBe(before);
  });

  it('succeed for members', async () => {
    for (const operation of ofOrganisations().filter(({ method }) => method === 'GET')) {
      const response = await victim.browser.get(fillAddress(operation, victim.tenantId));
      expect(response.status, `${operation.path}: ${response.text.slice(0, 200)}`).toBe(200);
    }
    // Loading the fonts for the first PDF is slow.
  });
});

it('operator routes reject non-operators', async () => {
  const ofOperators = operations.filter(({ path }) => path.startsWith('/api/dashboard/operator/'));
  expect(ofOperators.length).toBeGreaterThan(8);
  for (const operation of ofOperators) {
    const address = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => victimIds[name] ?? victim.tenantId);
    const body = operation.method === 'GET' ? undefined : {};
    const response = await victim.browser.call<Problem>(operation.method, address.replace('/api/dashboard', ''), body);
    expect([response.status, response.body.code], operation.path).toEqual([403, 'operators_only']);
  }
});

describe('viewer', () => {
  it('has read-only access to every organisation route', async () => {
    const viewer = await join(service, victim.browser, victim.path, 'viewer');
    const before = await readRows(victim);
    for (const operation of ofOrganisations()) {
      const { method, path } = operation;
      if (path.endsWith('/leave')) continue;
      const body = method === 'GET' || method === 'DELETE' ? undefined : {};
      const response = await viewer.browser.call<Problem>(method, fillAddress(operation, victim.tenantId), body);
      const isForOwners = /\/(?:audit|invitations)/.test(path);
      const expected = method === 'GET' && !isForOwners ? 200 : 403;
      expect(response.status, `${method} ${path}: ${response.text.slice(0, 200)}`).toBe(expected);
    }
    expect(await readRows(victim)).toBe(before);
  });
});
