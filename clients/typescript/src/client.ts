import { type Clock, SYSTEM_CLOCK } from './clock.js';
import { type Call, Connection, type Result } from './connection.js';
import { type AcceptedBatch, type Run, submitAll } from './submit-all.js';
import type {
  CancelAccepted,
  CancelRequest,
  DryRun,
  SubmissionStatus,
  SubmitAccepted,
  SubmitRequest,
  TaxpayerCheck,
} from './types.js';
import {
  type ReadStatusOptions,
  type StatusReading,
  WAIT_SECONDS_MAX,
  waitForOutcome,
  type WaitOptions,
} from './wait-for-outcome.js';

export interface ClientOptions {
  /** With its `/api`. */
  readonly baseUrl: string;
  /** `eisk_test_…` or `eisk_live_…`: it decides the environment. */
  readonly apiKey: string;
  /** Of one call, the first attempt included. */
  readonly attemptsMax?: number;
  readonly attemptTimeoutSeconds?: number;
  readonly fetch?: typeof globalThis.fetch;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface ChargedCallOptions extends CallOptions {
  /**
   * 1 to 255 visible ASCII characters, a new one for each logical request; made if absent. Give and keep your own to
   * repeat the call after a crash.
   */
  readonly idempotencyKey?: string;
}

export interface DryRunOptions extends CallOptions {
  /** Unknown and repeated fields are errors instead of warnings. */
  readonly isStrict?: boolean;
}

/** What the response's headers say of a charged call. */
export interface Charged {
  readonly idempotencyKey: string;
  readonly creditsCharged: number;
  readonly creditsRemaining: number;
  /** Whether an earlier request with this key was the one that was charged. */
  readonly isReplayed: boolean;
  readonly requestId: string | null;
}

type KeyedOptions = Pick<Call, 'isOutcomeUnknown' | 'signal'> & { readonly idempotencyKey: string };

const ATTEMPTS_MAX = 8;
// Longer than the service takes for the largest body.
const ATTEMPT_TIMEOUT_SECONDS = 75;

/** The four endpoints of the service. Every method repeats what failed, if that is safe and promising. */
export class EInvoiceClient {
  readonly #connection: Connection;

  constructor(options: ClientOptions) {
    this.#connection = new Connection({
      baseUrl: options.baseUrl.replace(/\/+$/, ''),
      apiKey: options.apiKey,
      // Called as a method of anything else than the global object, a browser's fetch throws.
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
      clock: options.clock ?? SYSTEM_CLOCK,
      random: options.random ?? Math.random,
      attemptsMax: options.attemptsMax ?? ATTEMPTS_MAX,
      attemptTimeoutSeconds: options.attemptTimeoutSeconds ?? ATTEMPT_TIMEOUT_SECONDS,
    });
  }

  /** Queues 1 to 100 documents; 1 credit each. */
  async submit(request: SubmitRequest, options: ChargedCallOptions = {}): Promise<SubmitAccepted & Charged> {
    const { idempotencyKey = crypto.randomUUID(), signal } = options;
    return this.#submitText(JSON.stringify(request), { idempotencyKey, signal });
  }

  /** Queues a list of any length, and continues with it after a crash: call it again with the same run. */
  submitAll(request: SubmitRequest, run: Run): Promise<AcceptedBatch[]> {
    const { environment, clock } = this.#connection;
    const submitter = {
      environment,
      now: () => clock.now(),
      submitText: async (body: string, options: KeyedOptions): Promise<SubmitAccepted> => {
        const { submissionBatchId, documents, warnings, warningsNotListed } = await this.#submitText(body, options);
        return { submissionBatchId, documents, warnings, ...(warningsNotListed && { warningsNotListed }) };
      },
    };
    return submitAll(submitter, request, run);
  }

  /** Checks 1 to 100 documents and computes their totals. Stores, charges and queues nothing. */
  async dryRun(request: SubmitRequest, { isStrict = false, signal }: DryRunOptions = {}): Promise<DryRun> {
    const { body } = await this.#connection.send({
      method: 'POST',
      path: '/v1/einvoice/submit/dry-run',
      headers: isStrict ? { Prefer: 'handling=strict' } : {},
      body: JSON.stringify(request),
      expected: [200],
      signal,
    });
    return body as DryRun;
  }

  /** One poll. */
  async readStatus(submissionBatchId: string, options: ReadStatusOptions = {}): Promise<StatusReading> {
    const { etag = null, waitSeconds = 0, signal } = options;
    const heldSeconds = etag === null ? 0 : Math.min(WAIT_SECONDS_MAX, waitSeconds);
    const { headers, body } = await this.#connection.send({
      method: 'GET',
      path: `/v1/saas/submissions/${encodeURIComponent(submissionBatchId)}/status`,
      headers: {
        ...(etag !== null && { 'If-None-Match': etag }),
        ...(heldSeconds > 0 && { Prefer: `wait=${heldSeconds}` }),
      },
      expected: [200, 304],
      heldSeconds,
      signal,
    });
    const status = body as SubmissionStatus | null;
    const nextPollAfterSeconds = status?.nextPollAfterSeconds ?? readNumber(headers, 'Retry-After');
    return { status, etag: headers.get('ETag'), nextPollAfterSeconds };
  }

  /** Polls until the batch is terminal. */
  waitForOutcome(submissionBatchId: string, options: WaitOptions = {}): Promise<SubmissionStatus> {
    const reader = {
      clock: this.#connection.clock,
      readStatus: (id: string, read: ReadStatusOptions) => this.readStatus(id, read),
    };
    return waitForOutcome(reader, submissionBatchId, options);
  }

  /** Whether the authority knows a TIN together with an id; without the id, that of your latest document to the TIN. */
  async validateTaxpayerTin(
    tin: string,
    id: { idType: 'BRN' | 'NRIC' | 'PASSPORT' | 'ARMY'; idValue: string } | null = null,
    { signal }: CallOptions = {},
  ): Promise<TaxpayerCheck> {
    const query = id === null ? '' : `?${new URLSearchParams({ idType: id.idType, idValue: id.idValue }).toString()}`;
    const { body } = await this.#connection.send({
      method: 'GET',
      path: `/v1/einvoice/validate-taxpayer-tin/${encodeURIComponent(tin)}${query}`,
      expected: [200],
      signal,
    });
    return body as TaxpayerCheck;
  }

  /** Queues the cancellation of a valid document; 1 credit. */
  cancel(request: CancelRequest, options: ChargedCallOptions = {}): Promise<CancelAccepted & Charged> {
    const { idempotencyKey = crypto.randomUUID(), signal } = options;
    return this.#sendCharged<CancelAccepted>({
      method: 'POST',
      path: '/v1/einvoice/cancel',
      body: JSON.stringify(request),
      expected: [202],
      idempotencyKey,
      signal,
    });
  }

  #submitText(body: string, options: KeyedOptions): Promise<SubmitAccepted & Charged> {
    return this.#sendCharged<SubmitAccepted>({
      method: 'POST',
      path: '/v1/einvoice/submit',
      body,
      expected: [200],
      ...options,
    });
  }

  async #sendCharged<Body>(call: Call & KeyedOptions): Promise<Body & Charged> {
    const { headers, body }: Result = await this.#connection.send(call);
    return {
      ...(body as Body),
      idempotencyKey: call.idempotencyKey,
      creditsCharged: readNumber(headers, 'X-Credits-Charged') ?? 0,
      creditsRemaining: readNumber(headers, 'X-Credits-Remaining') ?? 0,
      isReplayed: headers.get('Idempotent-Replayed') === 'true',
      requestId: headers.get('X-Request-Id'),
    };
  }
}

function readNumber(headers: Headers, name: string): number | null {
  const text = headers.get(name);
  return text === null ? null : Number(text);
}
