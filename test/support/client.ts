import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Environment } from '../../src/config/environment.js';
import type { SubmissionStatusDto } from '../../src/status/dto/submission-status.dto.js';
import type { TestService } from './service.js';
import { insertKey, insertTenant, type NewTenant, type TestTenant } from './tenants.js';

export type { TestTenant } from './tenants.js';

// eslint-disable-next-line -- tests access arbitrary members
export type Body = Record<string, any>;

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

/** Creates a tenant with a complete supplier profile, credits and a sandbox key. */
export function createTenant(service: TestService, options: NewTenant = {}): Promise<TestTenant> {
  return insertTenant(service.owner, options);
}

export function createKey(service: TestService, tenantId: string, environment?: Environment): Promise<string> {
  return insertKey(service.owner, tenantId, environment);
}

export async function readBalance(service: TestService, { tenantId }: TestTenant): Promise<number> {
  const [{ balance }] = await service.owner.query<{ balance: number }[]>(
    'SELECT balance FROM credit_account WHERE tenant_id = $1',
    [tenantId],
  );
  return balance;
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export async function request(service: TestService, path: string, options: RequestOptions = {}): Promise<ApiResponse> {
  const response = await fetch(`${service.url}${path}`, options);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

/** Parses JSON. Returns an empty object for other texts. */
export function parsed(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return {};
  }
}

interface CallOptions {
  readonly key?: string;
  readonly headers?: Record<string, string>;
}

export function post(
  service: TestService,
  tenant: TestTenant,
  call: CallOptions & { path: string; body: unknown },
): Promise<ApiResponse> {
  const headers = {
    'X-API-Key': tenant.apiKey,
    'Content-Type': 'application/json',
    'idempotency-key': call.key ?? randomUUID(),
    ...call.headers,
  };
  const body = typeof call.body === 'string' ? call.body : JSON.stringify(call.body);
  return request(service, call.path, { method: 'POST', headers, body });
}

export function submit(
  service: TestService,
  tenant: TestTenant,
  documents: unknown,
  options: CallOptions & { submissionType?: string } = {},
): Promise<ApiResponse> {
  const body = { submission_type: options.submissionType ?? 'non-consolidated', documents };
  return post(service, tenant, { ...options, path: '/v1/einvoice/submit', body });
}

export function cancel(
  service: TestService,
  tenant: TestTenant,
  body: unknown,
  options: CallOptions = {},
): Promise<ApiResponse> {
  return post(service, tenant, { ...options, path: '/v1/einvoice/cancel', body });
}

export function get(
  service: TestService,
  tenant: TestTenant,
  path: string,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  return request(service, path, { headers: { 'X-API-Key': tenant.apiKey, ...headers } });
}

/** Reads the status of a batch. @throws Error unless the response is 200 */
export async function readStatus(
  service: TestService,
  tenant: TestTenant,
  submissionBatchId: string,
): Promise<SubmissionStatusDto> {
  const response = await get(service, tenant, `/v1/saas/submissions/${submissionBatchId}/status`);
  if (response.status !== 200) throw new Error(`Status: ${response.status} ${response.text}`);
  return response.body as unknown as SubmissionStatusDto;
}

export interface AcceptedBatch {
  readonly submissionBatchId: string;
  readonly documents: readonly { documentId: string; documentType: string; referenceId: string }[];
}

/** Submits a batch. @throws Error unless it is accepted */
export async function accept(
  service: TestService,
  tenant: TestTenant,
  documents: readonly unknown[],
  options: CallOptions & { submissionType?: string } = {},
): Promise<AcceptedBatch> {
  const response = await submit(service, tenant, documents, options);
  if (response.status !== 200) throw new Error(`Submit: ${response.status} ${response.text}`);
  return response.body as unknown as AcceptedBatch;
}

/** Submits a batch and runs the dispatcher until the documents have their outcome. */
export async function issue(
  service: TestService,
  tenant: TestTenant,
  ...documents: readonly unknown[]
): Promise<SubmissionStatusDto> {
  const { submissionBatchId } = await accept(service, tenant, documents);
  await service.settle();
  return readStatus(service, tenant, submissionBatchId);
}

/** Counts the rows of a tenant per table and reads its balance. A rejected call must not change them. */
export async function countTenantRows(service: TestService, { tenantId }: TestTenant): Promise<Record<string, number>> {
  const tables = await tenantTables(service);
  const counts = tables.map((table) => `'${table}', (SELECT count(*) FROM ${table} WHERE tenant_id = $1)`);
  const [{ holdings }] = await service.owner.query<{ holdings: Record<string, number> }[]>(
    `SELECT json_build_object('balance', (SELECT balance FROM credit_account WHERE tenant_id = $1),
       ${counts.join(', ')}) AS holdings`,
    [tenantId],
  );
  return holdings;
}

/** Lists all tables with a `tenant_id` column. */
export async function tenantTables({ owner }: Pick<TestService, 'owner'>): Promise<string[]> {
  const rows = await owner.query<{ name: string }[]>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
        AND a.attname = 'tenant_id' AND NOT a.attisdropped ORDER BY c.relname`,
  );
  return rows.map(({ name }) => name);
}

/** Asserts that a call is rejected and neither stores rows nor charges credits (docs/rules.md#order-of-checks). */
export async function refused(
  service: TestService,
  tenant: TestTenant,
  call: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const before = await countTenantRows(service, tenant);
  const response = await call();
  expectProblem(response);
  expect(await countTenantRows(service, tenant)).toEqual(before);
  return response;
}

/** Returns the sorted statuses of concurrent calls. */
export function sortStatuses(responses: readonly ApiResponse[]): number[] {
  return responses.map(({ status }) => status).sort((a, b) => a - b);
}

/** Asserts that an error response is JSON with `message`, `code` and `requestId` (docs/rules.md#error-responses). */
export function expectProblem(response: ApiResponse): void {
  expect(response.status, response.text).toBeGreaterThanOrEqual(400);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.body).toMatchObject({
    message: expect.stringMatching(/./),
    code: expect.stringMatching(/^[a-z][a-z0-9_]*$/),
    requestId: response.headers.get('x-request-id'),
  });
}
