import { toMalaysianDate } from '../../src/common/malaysian-days.js';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { controlSimulator } from '../support/processes.js';
import { buildPrograms, type Program } from '../support/program.js';
import { until } from '../support/until.js';
import { TestData } from './test-data.js';

// Service and simulator share a data folder and a clock (docs/rules.md#commands-and-settings).

const TIMEOUT_MS = 240_000;
const HOUR_SECONDS = 3_600;
const PRODUCTION = {
  AUTHORITY_PRODUCTION_API_URL: 'http://127.0.0.1:1',
  AUTHORITY_PRODUCTION_CLIENT_ID: 'nobody',
  AUTHORITY_PRODUCTION_CLIENT_SECRET: 'nothing',
};

let data: TestData;

beforeAll(buildPrograms, TIMEOUT_MS);
beforeEach(async () => {
  data = await TestData.create();
});
afterEach(async () => {
  await data.stopPrograms();
  await data.remove();
}, TIMEOUT_MS);

async function start(program: 'start' | 'demo', settings: NodeJS.ProcessEnv = {}): Promise<Program> {
  const started = data.startWith(settings, program);
  await started.printed(program === 'demo' ? 'keeps running' : 'Running.');
  return started;
}

const addressIn = ({ out }: Program, name: string): string => new RegExp(`^${name} +(\\S+)`, 'm').exec(out)?.[1] ?? '';

async function moveClock(service: Program, hours: number): Promise<void> {
  await controlSimulator(addressIn(service, 'Authority'), 'clock', { advanceSeconds: hours * HOUR_SECONDS });
}

interface ShownDocument {
  readonly documentId: string;
  readonly authorityStatus: string | null;
  readonly cancellation: { readonly status: string } | null;
}

class Caller {
  constructor(
    private readonly service: Program,
    private readonly key: string,
  ) {}

  async call(address: string, body?: object): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await fetch(`${addressIn(this.service, 'API')}/v1/${address}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        'X-API-Key': this.key,
        'Content-Type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: body && JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  /** Waits until a document is valid. @returns the document with its batch */
  async validInvoice(referenceId: string): Promise<{ batch: string; documentId: string }> {
    const documentDate = toMalaysianDate(new Date());
    const lineItems = [{ description: 'Sales', quantity: 1, unitPrice: 10 }];
    const { status, body } = await this.call('einvoice/submit', {
      submission_type: 'consolidated',
      documents: [{ documentType: 'invoice', referenceId, documentDate, lineItems }],
    });
    expect(status, JSON.stringify(body)).toBe(200);
    const batch = String(body.submissionBatchId);
    await until(`${referenceId} has its outcome`, async () => (await this.batch(batch)).terminal === true);
    const shown = await this.document(batch);
    expect(shown).toMatchObject({ authorityStatus: 'Valid' });
    return { batch, documentId: shown.documentId };
  }

  async batch(id: string): Promise<Record<string, unknown>> {
    return (await this.call(`saas/submissions/${id}/status`)).body;
  }

  async document(batch: string): Promise<ShownDocument> {
    return ((await this.batch(batch)).documents as ShownDocument[])[0];
  }

  cancel(documentId: string): Promise<{ status: number; body: Record<string, unknown> }> {
    return this.call('einvoice/cancel', { documentId, cancellationReason: 'Wrong buyer' });
  }
}

describe('npm start with the simulator', { timeout: TIMEOUT_MS }, () => {
  it('keeps all documents after a clock move of 73 hours and a SIGKILL', async () => {
    const first = await start('demo');
    const key = /eisk_test_\w+/.exec(first.out)?.[0] ?? '';
    const before = new Caller(first, key);
    const early = await before.validInvoice('EARLY');
    await moveClock(first, 73);
    const late = await before.validInvoice('LATE');
    expect(await before.cancel(early.documentId)).toMatchObject({ body: { code: 'cancellation_window_closed' } });
    first.kill('SIGKILL');
    await first.ended;

    const second = await start('start');
    expect(second.out).toMatch(/^Clock {7}73 hours ahead, the simulator's and the service's/m);
    const after = new Caller(second, key);
    expect((await after.cancel(late.documentId)).status).toBe(202);
    await until('it is cancelled', async () => (await after.document(late.batch)).authorityStatus === 'Cancelled');
    await after.validInvoice('LATER');
    second.kill('SIGINT');
    expect((await second.ended).exitCode).toBe(0);

    const real = data.startWith(PRODUCTION, 'start');
    expect((await real.ended).exitCode).toBe(1);
    expect(real.error).toContain(
      'is 73 hours ahead, moved for the simulator, and documents of production would carry its',
    );
  });

  it('does not move the clock if production is configured', async () => {
    const first = await start('start', PRODUCTION);
    await moveClock(first, 73);
    first.kill('SIGINT');
    expect((await first.ended).exitCode).toBe(0);
    const second = await start('start', PRODUCTION);
    expect(second.out).toMatch(/^Clock {7}73 hours ahead, the simulator's alone/m);
  });
});
