import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { TestTenant } from '../support/tenants.js';

/** Client call that is repeated with the same key until it gets a response. */
export interface ClientRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly key: string;
  readonly body?: string;
}

export interface ClientResponse {
  readonly status: number;
  readonly text: string;
  readonly isReplayed: boolean;
}

export function buildSubmit(documents: readonly unknown[], key: string = randomUUID()): ClientRequest {
  const body = JSON.stringify({ submission_type: 'non-consolidated', documents });
  return { method: 'POST', path: '/v1/einvoice/submit', key, body };
}

export function buildCancel(documentId: string, key: string = randomUUID()): ClientRequest {
  const body = JSON.stringify({ documentId, cancellationReason: 'Wrong buyer' });
  return { method: 'POST', path: '/v1/einvoice/cancel', key, body };
}

/** Sends a call once. Returns null if the connection was lost or `signal` aborted. */
export async function attempt(
  url: string,
  { apiKey }: TestTenant,
  call: ClientRequest,
  signal?: AbortSignal,
): Promise<ClientResponse | null> {
  const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json', 'idempotency-key': call.key };
  try {
    const response = await fetch(url + call.path, {
      method: call.method,
      headers: call.body === undefined ? { 'X-API-Key': apiKey } : headers,
      body: call.body,
      signal,
    });
    const isReplayed = response.headers.get('idempotent-replayed') === 'true';
    return { status: response.status, text: await response.text(), isReplayed };
  } catch {
    return null;
  }
}

const TRIES_MAX = 200;
const BETWEEN_TRIES_MS = 20;

/** Retries a call as the interface requires until the response is final. */
export async function retryUntilAnswered(
  url: string,
  tenant: TestTenant,
  call: ClientRequest,
): Promise<ClientResponse> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const response = await attempt(url, tenant, call);
    if (response !== null && !isTransient(response)) return response;
    await wait(BETWEEN_TRIES_MS);
  }
  throw new Error(`No answer to ${call.method} ${call.path}`);
}

function isTransient({ status, text }: ClientResponse): boolean {
  return status === 500 || status === 503 || text.includes('"idempotency_key_in_progress"');
}
