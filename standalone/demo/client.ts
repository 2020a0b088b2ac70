import { setTimeout as wait } from 'node:timers/promises';
import type { SubmitBody } from './sample-month.js';

/** Members of a status response used by the demo (docs/rules.md#status-response). */
export interface BatchStatus {
  readonly submissionBatchId: string;
  readonly status: string;
  readonly terminal: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly nextPollAfterSeconds: number | null;
  readonly documents: readonly {
    readonly documentType: string;
    readonly referenceId: string;
    readonly submissionStatus: string;
    readonly authorityStatus: string | null;
    readonly authorityUuid: string | null;
    readonly validationUrl: string | null;
    readonly totals: { readonly totalPayableAmount: number };
    readonly errors: readonly { readonly message: string; readonly authorityCode?: string | null }[];
  }[];
}

const POLL_SECONDS_MIN = 0.5;
const CALL_TIMEOUT_MS = 30_000;

interface DemoRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** HTTP client of the service with an API key, like any other client. */
export class DemoClient {
  constructor(
    private readonly apiUrl: string,
    private readonly apiKey: string,
    private readonly signal: AbortSignal,
  ) {}

  /** @returns the id of the batch */
  async submit(idempotencyKey: string, body: SubmitBody): Promise<string> {
    const { submissionBatchId } = await this.call<{ submissionBatchId: string }>('/v1/einvoice/submit', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify(body),
    });
    return submissionBatchId;
  }

  /**
   * Polls at the intervals stated by the service until every batch is terminal or the timeout has passed.
   * @returns the last responses in the order of the ids
   */
  async follow(
    batchIds: readonly string[],
    options: { secondsMax: number; show: (statuses: BatchStatus[]) => void },
  ): Promise<BatchStatus[]> {
    const giveUpAt = Date.now() + options.secondsMax * 1_000;
    for (;;) {
      const statuses = await Promise.all(batchIds.map((batchId) => this.status(batchId)));
      options.show(statuses);
      const open = statuses.filter((status) => !status.terminal);
      if (open.length === 0 || Date.now() > giveUpAt) return statuses;
      await this.sleep(Math.min(...open.map((status) => status.nextPollAfterSeconds ?? POLL_SECONDS_MIN)));
    }
  }

  private status(batchId: string): Promise<BatchStatus> {
    return this.call(`/v1/saas/submissions/${batchId}/status`, {});
  }

  private async call<Body>(path: string, { headers, ...request }: DemoRequest): Promise<Body> {
    const response = await fetch(this.apiUrl + path, {
      ...request,
      headers: { ...headers, 'X-API-Key': this.apiKey },
      signal: AbortSignal.any([this.signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]),
    });
    if (!response.ok) throw new Error(`The service responded with ${response.status}: ${await response.text()}`);
    return (await response.json()) as Body;
  }

  private sleep(seconds: number): Promise<void> {
    return wait(Math.max(seconds, POLL_SECONDS_MIN) * 1_000, undefined, { signal: this.signal });
  }
}
