import type { Clock } from './clock.js';
import { EInvoiceError, type ErrorBody } from './errors.js';
import { type Failure, findRetryRule, planRetry, readRetryAfter } from './retries.js';

export interface ConnectionOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly random: () => number;
  readonly attemptsMax: number;
  readonly attemptTimeoutSeconds: number;
}

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly idempotencyKey?: string;
  /** Whether an earlier request with this key may have been accepted. */
  readonly isOutcomeUnknown?: boolean;
  /** Statuses of a successful response. */
  readonly expected: readonly number[];
  /** Seconds for which the service may hold its response. */
  readonly heldSeconds?: number;
  readonly signal?: AbortSignal;
}

export interface Result {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

interface FailedAttempt extends Failure {
  readonly body: ErrorBody | null;
  readonly requestId: string | null;
  readonly cause?: unknown;
}

/** Sends calls and retries them according to retries.ts. */
export class Connection {
  readonly #options: ConnectionOptions;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get environment(): 'sandbox' | 'production' {
    return this.#options.apiKey.startsWith('eisk_live_') ? 'production' : 'sandbox';
  }

  /** @throws EInvoiceError if no attempt succeeded; the signal's reason if it is aborted */
  async send(call: Call): Promise<Result> {
    const { attemptsMax, random, clock } = this.#options;
    let { isOutcomeUnknown = false } = call;
    for (let attempt = 1; ; attempt += 1) {
      const end = await this.#attempt(call);
      if ('headers' in end) return end;
      const { key } = findRetryRule(end);
      if (key !== 'unread') isOutcomeUnknown = key === 'unknown';
      const waitMs = planRetry(end, { attempt, attemptsMax, random: random() });
      if (waitMs === null) throw toError(call, end, { attempt, isOutcomeUnknown });
      await clock.wait(waitMs, call.signal);
    }
  }

  async #attempt(call: Call): Promise<Result | FailedAttempt> {
    const { attemptTimeoutSeconds } = this.#options;
    const controller = new AbortController();
    const onAbort = (): void => controller.abort(call.signal?.reason);
    const seconds = attemptTimeoutSeconds + (call.heldSeconds ?? 0);
    const late = new Error(`The service did not respond within ${seconds} s`);
    // The timeout covers the body, because a connection may be cut at any byte.
    const timer = setTimeout(() => controller.abort(late), seconds * 1_000);
    call.signal?.addEventListener('abort', onAbort, { once: true });
    try {
      call.signal?.throwIfAborted();
      return await this.#exchange(call, controller.signal);
    } catch (cause) {
      call.signal?.throwIfAborted();
      return { status: null, code: null, retryAfterSeconds: null, body: null, requestId: null, cause };
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', onAbort);
    }
  }

  async #exchange(call: Call, signal: AbortSignal): Promise<Result | FailedAttempt> {
    const { baseUrl, fetch, clock } = this.#options;
    const { method, body: sent } = call;
    const response = await fetch(`${baseUrl}${call.path}`, {
      method,
      headers: this.#toHeaders(call),
      signal,
      // Redirects are not followed, because they would send the API key to another address.
      redirect: 'manual',
      ...(sent !== undefined && { body: sent }),
    });
    const { status, headers } = response;
    const body = parseObject(await response.text());
    if (call.expected.includes(status) && (body !== null || status === 304)) return { status, headers, body };
    const error = isErrorBody(body) ? body : null;
    return {
      status,
      code: error?.code ?? null,
      retryAfterSeconds: readRetryAfter(headers.get('Retry-After'), clock.now()),
      body: error,
      requestId: headers.get('X-Request-Id'),
    };
  }

  #toHeaders({ body, idempotencyKey, headers }: Call): Record<string, string> {
    return {
      'X-API-Key': this.#options.apiKey,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...headers,
    };
  }
}

function isErrorBody(body: object | null): body is ErrorBody {
  const { code, message } = (body ?? {}) as Partial<Record<keyof ErrorBody, unknown>>;
  return typeof code === 'string' && typeof message === 'string';
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

function toError(
  { method, path, idempotencyKey }: Call,
  { status, code, body, requestId, retryAfterSeconds, cause }: FailedAttempt,
  { attempt, isOutcomeUnknown }: { attempt: number; isOutcomeUnknown: boolean },
): EInvoiceError {
  const facts = { status, body, requestId, retryAfterSeconds, idempotencyKey: idempotencyKey ?? null, cause };
  const isUnknown = idempotencyKey !== undefined && isOutcomeUnknown;
  return new EInvoiceError(code ?? (status === null ? 'response_lost' : 'response_unexpected'), describe(), {
    ...facts,
    isOutcomeUnknown: isUnknown,
  });

  function describe(): string {
    if (body !== null) return body.message;
    const what = `${method} ${path}, attempt ${attempt}`;
    if (status !== null) return `${what}: status ${status} with a body that is not of this service; check baseUrl`;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const advice = isUnknown ? '; repeat it with the same idempotencyKey and body' : '';
    return `${what}: no response (${reason})${advice}`;
  }
}
