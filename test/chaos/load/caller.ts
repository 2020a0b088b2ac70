import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../../../bench/content/random.js';
import type { ReceivedResponse } from './history.js';

export interface HttpCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly apiKey: string;
  readonly key?: string;
  /** The body's text: a retry sends the very same. */
  readonly body?: string;
}

export interface Outcome {
  /** Null: the run was given up before a response came. */
  readonly final: { readonly status: number; readonly text: string; readonly body: unknown } | null;
  readonly answers: readonly ReceivedResponse[];
}

/** One request of a call, on the monotonic clock; without those that the client itself gave up early. */
export interface Send {
  readonly path: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Null: no response. */
  readonly status: number | null;
}

const TIMEOUT_MS = 5_000;
// Simulates a client timeout or a lost client connection: the response is lost, whether it was sent or not.
const EARLY_TIMEOUT_SHARE = 0.03;
const EARLY_TIMEOUT_MS_MAX = 60;
const PAUSE_MS_MIN = 50;
const PAUSE_MS_MAX = 800;
const IN_PROGRESS_MS = 1_000;

/** A client of the interface, that retries as the interface tells it. */
export class Caller {
  private next = 0;

  constructor(
    private readonly urls: readonly string[],
    private readonly random: Random,
    private readonly givenUp: AbortSignal,
    /** Takes what got no response, but for what the client itself gave up. */
    private readonly failed: string[] = [],
    private readonly onSend: (send: Send) => void = () => undefined,
  ) {}

  /**
   * Time-out, lost connection, 500, 503: the same again. In progress, 429: wait, then the same. Anything else is final.
   */
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

  /** Sent once; whatever comes, comes. */
  async once(call: HttpCall): Promise<void> {
    await this.send(call);
  }

  private async send(call: HttpCall): Promise<{ status: number; text: string; body: unknown } | null> {
    const url = this.urls[this.next % this.urls.length];
    // The other replica next time, as a load balancer would.
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
