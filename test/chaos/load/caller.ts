import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../../../bench/content/random.js';
import type { ReceivedResponse } from './history.js';

export interface HttpCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly apiKey: string;
  readonly key?: string;
  /** Serialised body, which every retry repeats. */
  readonly body?: string;
}

export interface Outcome {
  /** Null if the run ended before a response. */
  readonly final: { readonly status: number; readonly text: string; readonly body: unknown } | null;
  readonly answers: readonly ReceivedResponse[];
}

/** Request with monotonic timestamps. Requests with an early client timeout are not reported. */
export interface Send {
  readonly path: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Null without a response. */
  readonly status: number | null;
}

const TIMEOUT_MS = 5_000;
// Simulates client timeouts and lost client connections.
const EARLY_TIMEOUT_SHARE = 0.03;
const EARLY_TIMEOUT_MS_MAX = 60;
const PAUSE_MS_MIN = 50;
const PAUSE_MS_MAX = 800;
const IN_PROGRESS_MS = 1_000;

/** HTTP client that retries as the interface requires. */
export class Caller {
  private next = 0;

  constructor(
    private readonly urls: readonly string[],
    private readonly random: Random,
    private readonly givenUp: AbortSignal,
    /** Collects failed requests except client timeouts. */
    private readonly failed: string[] = [],
    private readonly onSend: (send: Send) => void = () => undefined,
  ) {}

  /** Repeats a call after timeouts, connection errors, 5xx, 429 and `idempotency_key_in_progress`. */
  async call(call: HttpCall): Promise<Outcome> {
    const answers: ReceivedResponse[] = [];
    while (!this.givenUp.aborted) {
      const response = await this.send(call);
      if (response !== null) answers.push(recorded(response));
      if (response !== null && !isToRepeat(answers[answers.length - 1])) return { final: response, answers };
      const isInProgress = response?.status === 409 || response?.status === 429;
      await wait(isInProgress ? IN_PROGRESS_MS : this.random.integer(PAUSE_MS_MIN, PAUSE_MS_MAX));
    }
    return { final: null, answers };
  }

  /** Sends a call once and ignores the result. */
  async once(call: HttpCall): Promise<void> {
    await this.send(call);
  }

  private async send(call: HttpCall): Promise<{ status: number; text: string; body: unknown } | null> {
    const url = this.urls[this.next % this.urls.length];
    // Alternates between the replicas like a load balancer.
    this.next += 1;
    const timeoutMs = this.random.chance(EARLY_TIMEOUT_SHARE)
      ? this.random.integer(1, EARLY_TIMEOUT_MS_MAX)
      : TIMEOUT_MS;
    const startedAt = performance.now();
    const report = (status: number | null): void =>
      this.onSend({ path: call.path, startedAt, endedAt: performance.now(), status });
    try {
      const response = await fetch(`${url}${call.path}`, {
        method: call.method,
        headers: {
          'X-API-Key': call.apiKey,
          ...(call.body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(call.key === undefined ? {} : { 'idempotency-key': call.key }),
        },
        body: call.body,
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await response.text();
      report(response.status);
      return { status: response.status, text, body: parsed(text) };
    } catch (error) {
      const { name, message, cause } = error as Error;
      if (name !== 'TimeoutError') this.failed.push(`${call.method} ${url}${call.path}: ${message}: ${String(cause)}`);
      if (name !== 'TimeoutError' || timeoutMs === TIMEOUT_MS) report(null);
      return null;
    }
  }
}

function isToRepeat({ status, code }: ReceivedResponse): boolean {
  return status >= 500 || status === 429 || (status === 409 && code === 'idempotency_key_in_progress');
}

function recorded({ status, text, body }: { status: number; text: string; body: unknown }): ReceivedResponse {
  const isSuccess = status === 200 || status === 202;
  return {
    status,
    code: readCode(body),
    sha256: isSuccess ? createHash('sha256').update(text).digest('hex') : null,
  };
}

export function readCode(body: unknown): string | null {
  return typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
