import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AcceptedBatch, ApiResponse } from '../support/client.js';
import { cancel, createTenant, get, readStatus, submit } from '../support/client.js';
import { Browser, PASSWORD, signUp } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { changeFunctions, changeTables } from './changed-schema.js';

const service = await startFileService();
const tenant = await createTenant(service, { credits: 10_000 });
const ROUNDS = 6;
const ROUND_SECONDS = 5;
/** A tick sends one cancellation, so more of them would take too long to settle. */
const CANCELLED_MAX = 20;

/** Clients and a dispatcher that run until they are stopped, and record every error. */
class Traffic {
  readonly errors: string[] = [];
  readonly batches: AcceptedBatch[] = [];
  cancelled = 0;
  private rounds = 0;
  private isStopped = false;
  private readonly running: Promise<unknown>;

  constructor(private readonly browser: Browser) {
    this.running = Promise.all([this.submitAndPoll(), this.submitAndPoll(), this.visit(), this.dispatch()]);
  }

  /** Waits until every client has completed more rounds. */
  async more(rounds: number): Promise<void> {
    const wanted = this.rounds + rounds;
    await expect.poll(() => this.rounds, { interval: 20 }).toBeGreaterThanOrEqual(wanted);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
  }

  private async submitAndPoll(): Promise<void> {
    while (!this.isStopped) {
      const response = this.expect(await submit(service, tenant, [invoice(), invoice()]), 200);
      if (response.status === 200) this.batches.push(response.body as unknown as AcceptedBatch);
      const status = `/v1/saas/submissions/${this.batches.at(0)?.submissionBatchId}/status`;
      this.expect(await get(service, tenant, status), 200);
      const [document] = this.batches[this.cancelled]?.documents ?? [];
      if (document === undefined || this.cancelled === CANCELLED_MAX) continue;
      const asked = await cancel(service, tenant, { documentId: document.documentId });
      if (asked.status === 202) this.cancelled += 1;
      // 409 because the document is not valid yet.
      else this.expect(asked, 409);
    }
  }

  private async visit(): Promise<void> {
    const email = this.browser.session?.user.email;
    while (!this.isStopped) {
      this.expect(await this.browser.get('/session'), 200);
      this.expect(await this.browser.enter('/sign-in', { email, password: PASSWORD }), 200);
    }
  }

  private async dispatch(): Promise<void> {
    while (!this.isStopped) {
      for (const loop of service.loops) {
        await service.tick(loop).catch((error: unknown) => this.errors.push(`${loop}: ${String(error)}`));
      }
      await service.advance(ROUND_SECONDS);
      this.rounds += 1;
    }
  }

  private expect<Given extends Pick<ApiResponse, 'status' | 'text'>>(response: Given, status: number): Given {
    if (response.status !== status) this.errors.push(`${response.status} ${response.text}`);
    return response;
  }
}

describe('a schema change during operation', () => {
  it.each([
    ['a column to every table', changeTables],
    ['a result column to every function', changeFunctions],
  ])('causes no errors if it adds %s', async (_, change) => {
    const { browser } = await signUp(service);
    const traffic = new Traffic(browser);
    await traffic.more(ROUNDS);
    const changed = await change(service.owner);
    await traffic.more(ROUNDS);
    await traffic.stop();
    await service.settle();
    expect(changed).toBeGreaterThan(5);
    expect(traffic.errors).toEqual([]);
    expect(traffic.cancelled).toBeGreaterThan(0);
    for (const { submissionBatchId } of traffic.batches) {
      const { terminal, documents } = await readStatus(service, tenant, submissionBatchId);
      expect(terminal).toBe(true);
      for (const { authorityStatus } of documents) expect(['Valid', 'Cancelled']).toContain(authorityStatus);
    }
    const wire = await service.wireLog();
    expect(new Set(wire.map(({ number }) => number)).size).toBe(wire.length);
  });
});

it('no statement of the service selects all columns', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((name) => path.posix.join('src', name.replaceAll(path.sep, '/')))
    .filter(
      (name) => name.endsWith('.ts') && !name.startsWith('src/database/migrations/') && !name.endsWith('.spec.ts'),
    );
  const found = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:\b(?:SELECT|RETURNING)\s+|\b[a-z_]+\.)\*(?!\/)[^\n]*/g)].map(
      ([text]) => `${file}: ${text}`,
    ),
  );
  expect(files.length).toBeGreaterThan(200);
  expect(found).toEqual([]);
});
