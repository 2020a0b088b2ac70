import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { TestTenant } from '../support/tenants.js';

/** A call of a client, to be repeated with the same key until it has its answer. */
export interface ClientCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly key: string;
  readonly body?: string;
}

export interface ClientAnswer {
  readonly status: number;
  readonly text: string;
  readonly isReplayed: boolean;
}

export function submitOf(documents: readonly unknown[], key: string = randomUUID()): ClientCall {
  const body = JSON.stringify({ submission_type: 'non-consolidated', documents });
  return { method: 'POST', path: '/v1/einvoice/submit', key, body };
}

export function cancelOf(documentId: string, key: string = randomUUID()): ClientCall {
  const body = JSON.stringify({ documentId, cancellationReason: 'Wrong buyer' });
  return { method: 'POST', path: '/v1/einvoice/cancel', key, body };
}

/** One try; null when there is no answer: the connection was lost, or `signal` gave up. */
export async function attempt(
  url: string,
  { apiKey }: TestTenant,
  call: ClientCall,
  signal?: AbortSignal,
): Promise<ClientAnswer | null> {
  const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json', 'idempotency-key': call.key };
  try {
    const answer = await fetch(url + call.path, {
      method: call.method,
      headers: call.body === undefined ? { 'X-API-Key': apiKey } : headers,
      body: call.body,
      signal,
    });
    const isReplayed = answer.headers.get('idempotent-replayed') === 'true';
    return { status: answer.status, text: await answer.text(), isReplayed };
  } catch {
    return null;
  }
}

const TRIES_MAX = 200;
const BETWEEN_TRIES_MS = 20;

/** Tries again as the interface tells its clients, until the answer is no request to do so. */
export async function untilAnswered(url: string, tenant: TestTenant, call: ClientCall): Promise<ClientAnswer> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const answer = await attempt(url, tenant, call);
    if (answer !== null && !isTransient(answer)) return answer;
    await wait(BETWEEN_TRIES_MS);
  }
  throw new Error(`No answer to ${call.method} ${call.path}`);
}

function isTransient({ status, text }: ClientAnswer): boolean {
  return status === 500 || status === 503 || text.includes('"idempotency_key_in_progress"');
}
