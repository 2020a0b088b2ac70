import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';

// One submit and three polls per second are half of a customer's limits.
const SUBMIT_EVERY_MS = 1_000;
const POLLS_FOR_A_SUBMIT = 3;

interface Call {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Results of the customers in a phase. */
export interface Phase {
  readonly submitMs: number[];
  readonly pollMs: number[];
  /** Unexpected responses. */
  readonly refusals: string[];
}

/** Organisations that submit and poll below their limits. */
export class Customers {
  /** Reference ids of all accepted documents. */
  readonly accepted: string[] = [];
  private readonly latest = new Map<TestTenant, { submissionBatchId: string; referenceId: string }>();

  constructor(
    private readonly url: string,
    private readonly tenants: readonly TestTenant[],
  ) {}

  /** Sends each request at its scheduled time, even while earlier requests are still open (open loop). */
  async work(milliseconds: number): Promise<Phase> {
    const phase: Phase = { submitMs: [], pollMs: [], refusals: [] };
    const under: Promise<void>[] = [];
    const startedAt = performance.now();
    const every = SUBMIT_EVERY_MS / this.tenants.length;
    for (let turn = 0; turn * every < milliseconds; turn += 1) {
      await pause(Math.max(0, startedAt + turn * every - performance.now()));
      const tenant = this.tenants[turn % this.tenants.length];
      under.push(this.submit(tenant, phase));
      for (let poll = 0; poll < POLLS_FOR_A_SUBMIT; poll += 1) under.push(this.poll(tenant, phase));
    }
    await Promise.all(under);
    return phase;
  }

  private async submit(tenant: TestTenant, { submitMs, refusals }: Phase): Promise<void> {
    const referenceId = `OURS-${randomUUID()}`;
    const body = JSON.stringify({ submission_type: 'non-consolidated', documents: [invoice({ referenceId })] });
    const headers = { 'Content-Type': 'application/json', 'idempotency-key': randomUUID() };
    const { status, text, took } = await this.send(tenant, '/v1/einvoice/submit', { method: 'POST', headers, body });
    submitMs.push(took);
    if (status !== 200) {
      refusals.push(`submit ${status} ${text}`);
      return;
    }
    const { submissionBatchId } = JSON.parse(text) as { submissionBatchId: string };
    this.accepted.push(referenceId);
    this.latest.set(tenant, { submissionBatchId, referenceId });
  }

  private async poll(tenant: TestTenant, { pollMs, refusals }: Phase): Promise<void> {
    const latest = this.latest.get(tenant);
    if (latest === undefined) return;
    const { submissionBatchId, referenceId } = latest;
    const { status, text, took } = await this.send(tenant, `/v1/saas/submissions/${submissionBatchId}/status`);
    pollMs.push(took);
    if (status !== 200 || !text.includes(referenceId)) refusals.push(`poll ${status} ${text}`);
  }

  private async send({ apiKey }: TestTenant, path: string, { headers, ...init }: Call = {}) {
    const startedAt = performance.now();
    const response = await fetch(this.url + path, { ...init, headers: { 'X-API-Key': apiKey, ...headers } });
    const text = await response.text();
    return { status: response.status, text, took: performance.now() - startedAt };
  }
}
