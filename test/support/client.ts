import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { createApiKeyText, digestOf, displayOf } from '../../src/auth/api-key-text.js';
import type { Environment } from '../../src/config/environment.js';
import type { SubmissionStatusDto } from '../../src/status/dto/submission-status.dto.js';
import type { TestService } from './service.js';

// eslint-disable-next-line -- answers are looked into freely
export type Body = Record<string, any>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

export interface TestTenant {
  readonly tenantId: string;
  readonly apiKey: string;
}

let counter = 0;

/** A different TIN for every tenant, well formed. */
function nextTin(): string {
  counter += 1;
  return `C${1_000_000 + (process.pid % 1000) * 1000 + counter}0`;
}

/** A tenant with a complete supplier profile, credits and a sandbox key. */
export async function createTenant(
  service: TestService,
  options: { credits?: number; environment?: Environment; profile?: Record<string, string | null> } = {},
): Promise<TestTenant> {
  const tenantId = uuidv7();
  const profile: Record<string, unknown> = {
    tenant_id: tenantId,
    name: 'Kedai Contoh Sdn Bhd',
    tin: nextTin(),
    id_type: 'BRN',
    id_value: '201901234567',
    msic: '46510',
    activity: 'Wholesale of computer hardware, software and peripherals',
    address_line1: 'Lot 66',
    city: 'Kuala Lumpur',
    postcode: '50480',
    state_code: '14',
    country: 'MYS',
    phone: '+60312345678',
    email: 'akaun@kedai.example',
    created_at: new Date(),
    ...options.profile,
  };
  const names = Object.keys(profile);
  await service.owner.query(
    `INSERT INTO tenant (${names.join(', ')}) VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(profile),
  );
  await grant(service, tenantId, options.credits ?? 1_000);
  return { tenantId, apiKey: await createKey(service, tenantId, options.environment) };
}

export async function createKey(
  service: TestService,
  tenantId: string,
  environment: Environment = 'sandbox',
): Promise<string> {
  const apiKey = createApiKeyText(environment);
  const { prefix, lastFour } = displayOf(apiKey);
  await service.owner.query(
    `INSERT INTO api_key (tenant_id, id, environment, name, prefix, last_four, digest, created_at)
     VALUES ($1, $2, $3, 'test', $4, $5, $6, service_now())`,
    [tenantId, uuidv7(), environment, prefix, lastFour, digestOf(apiKey)],
  );
  return apiKey;
}

async function grant(service: TestService, tenantId: string, credits: number): Promise<void> {
  await service.owner.query('INSERT INTO credit_account (tenant_id, balance, entry_sequence) VALUES ($1, $2, $3)', [
    tenantId,
    credits,
    credits > 0 ? 1 : 0,
  ]);
  if (credits === 0) return;
  const lot = uuidv7();
  await service.owner.query(
    `INSERT INTO credit_lot (tenant_id, id, granted, remaining, expires_at, created_at)
     VALUES ($1, $2, $3, $3, service_now() + interval '1 year', service_now())`,
    [tenantId, lot, credits],
  );
  await service.owner.query(
    `INSERT INTO credit_entry (tenant_id, sequence, kind, amount, balance_after, cause_id, created_at)
     VALUES ($1, 1, 'grant', $2, $2, $3, service_now())`,
    [tenantId, credits, lot],
  );
}

export async function creditsOf(service: TestService, { tenantId }: TestTenant): Promise<number> {
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

export async function request(service: TestService, path: string, options: RequestOptions = {}): Promise<Answer> {
  const answer = await fetch(`${service.url}${path}`, options);
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: parsed(text) };
}

function parsed(text: string): Body {
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
): Promise<Answer> {
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
): Promise<Answer> {
  const body = { submission_type: options.submissionType ?? 'non-consolidated', documents };
  return post(service, tenant, { ...options, path: '/v1/einvoice/submit', body });
}

export function cancel(
  service: TestService,
  tenant: TestTenant,
  body: unknown,
  options: CallOptions = {},
): Promise<Answer> {
  return post(service, tenant, { ...options, path: '/v1/einvoice/cancel', body });
}

export function get(
  service: TestService,
  tenant: TestTenant,
  path: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return request(service, path, { headers: { 'X-API-Key': tenant.apiKey, ...headers } });
}

/** The status of a batch, which must exist. */
export async function statusOf(
  service: TestService,
  tenant: TestTenant,
  submissionBatchId: string,
): Promise<SubmissionStatusDto> {
  const answer = await get(service, tenant, `/v1/saas/submissions/${submissionBatchId}/status`);
  if (answer.status !== 200) throw new Error(`Status: ${answer.status} ${answer.text}`);
  return answer.body as unknown as SubmissionStatusDto;
}
