import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.js';
import { createApi } from '../../src/processes/api-application.js';
import { createDispatcher } from '../../src/processes/dispatcher-application.js';
import { createTenant, post, readStatus, request, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { until } from '../support/until.js';
import { type CollectedSpan, startCollector } from './collector.js';

// docs/monitoring.md#traces

const service = await startFileService();
let folder: string;
let tenant: TestTenant;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'traces-'));
  tenant = await createTenant(service);
});
afterEach(() => rm(folder, { recursive: true }));

interface Client {
  readonly traceId: string;
  readonly spanId: string;
  readonly headers: { readonly traceparent: string };
}

function newTrace(flags = '01'): Client {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-${flags}` } };
}

/** Runs an API and then a dispatcher with the settings. @returns their log lines */
async function run(
  settings: Record<string, string>,
  work: (api: typeof service) => Promise<unknown>,
): Promise<Record<string, unknown>[]> {
  const environment = { ...service.settings, LOG_LEVEL: 'debug', ...settings };
  const logFile = path.join(folder, 'log');
  const api = await createApi(readConfiguration('api', environment), { logFile });
  await api.listen(0, '127.0.0.1');
  try {
    await work(Object.create(service, { url: { value: `${await api.getUrl()}/api` } }) as typeof service);
  } finally {
    await api.close();
  }
  const dispatcher = await createDispatcher(readConfiguration('dispatcher', environment), { logFile });
  try {
    await until('everything is sent', async () => (await countQueued()) === 0);
  } finally {
    await dispatcher.close();
  }
  await until('the last line is written', async () => (await readFile(logFile, 'utf8')).includes(' submit: accepted'));
  const lines = (await readFile(logFile, 'utf8')).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function countQueued(): Promise<number> {
  const [{ count }] = await service.owner.query<{ count: number }[]>(
    `SELECT count(*)::integer FROM document_transaction WHERE submission_status IN ('Queued', 'Processing')`,
  );
  return count;
}

async function send(api: typeof service, by: TestTenant, headers: Record<string, string>): Promise<string> {
  const body = { submission_type: 'non-consolidated', documents: [invoice({ referenceId: reference() })] };
  const response = await post(api, by, { path: '/v1/einvoice/submit', body, headers });
  expect(response.status, response.text).toBe(200);
  return response.body.submissionBatchId as string;
}

async function readStored(batchId: string): Promise<string | null> {
  const [{ traceparent }] = await service.owner.query<{ traceparent: string | null }[]>(
    'SELECT traceparent FROM submission_batch WHERE id = $1',
    [batchId],
  );
  return traceparent;
}

/** Returns the `traceparent` headers of the submit calls for the tenant. */
async function receivedHeaders({ tenantId }: TestTenant): Promise<(string | null)[]> {
  const [{ tin }] = await service.owner.query<{ tin: string }[]>('SELECT tin FROM tenant WHERE tenant_id = $1', [
    tenantId,
  ]);
  const response = await fetch(`${service.simulator.url}/_control/calls?after=0`);
  const calls = (await response.json()) as { api: string; taxpayerTin: string; traceparent: string | null }[];
  return calls
    .filter(({ api, taxpayerTin }) => api === 'submit' && taxpayerTin === tin)
    .map(({ traceparent }) => traceparent);
}

function spanNamed(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const found = spans.filter((span) => span.name === name);
  expect(found, name).toHaveLength(1);
  return found[0];
}

const SUBMIT = 'POST /api/v1/einvoice/submit';

describe('with a collector', () => {
  it("one trace connects the client's span with the authority call", async () => {
    const { url, spans } = await startCollector();
    const { traceId, spanId, headers } = newTrace('00');
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER: 'always_on' };
    let batchId = '';
    const lines = await run(settings, async (api) => (batchId = await send(api, tenant, headers)));
    const [root, accepted, claim, call] = [SUBMIT, 'accept', 'claim', 'authority call'].map((name) =>
      spanNamed(spans, name),
    );
    expect(spans).toHaveLength(4);
    expect(root).toMatchObject({ traceId, parentSpanId: spanId, service: 'einvoice-api' });
    expect(accepted).toMatchObject({ traceId, parentSpanId: root.spanId });
    expect(claim).toMatchObject({ traceId, parentSpanId: root.spanId, service: 'einvoice-dispatcher' });
    expect(call).toMatchObject({ traceId, parentSpanId: claim.spanId });
    expect(call.attributes).toMatchObject({ 'einvoice.outcome': 'accepted', 'einvoice.tenant_id': tenant.tenantId });
    expect(await readStored(batchId)).toBe(`00-${traceId}-${root.spanId}-01`);
    expect(await receivedHeaders(tenant)).toEqual([`00-${traceId}-${call.spanId}-01`]);
    expect(lines.filter((line) => line.traceId === traceId)).toMatchObject([
      { route: '/api/v1/einvoice/submit', status: 200 },
      { context: 'AuthorityClient', msg: expect.stringContaining('submit: accepted') as string },
    ]);
  });

  it('an authority call for several traces has its own trace with links', async () => {
    const { url, spans } = await startCollector();
    const clients = [newTrace(), newTrace()];
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER: 'always_on' };
    const lines = await run(settings, async (api) => {
      for (const { headers } of clients) await send(api, tenant, headers);
    });
    const traceIds = clients.map(({ traceId }) => traceId);
    const call = spanNamed(spans, 'authority call');
    expect(traceIds).not.toContain(call.traceId);
    expect(call.linkedTraceIds.toSorted()).toEqual(traceIds.toSorted());
    expect(spanNamed(spans, 'claim').linkedTraceIds.toSorted()).toEqual(traceIds.toSorted());
    expect(await receivedHeaders(tenant)).toEqual([`00-${call.traceId}-${call.spanId}-01`]);
    const [line] = lines.filter(({ traceId }) => traceId === call.traceId);
    expect((line.linkedTraceIds as string[]).toSorted()).toEqual(traceIds.toSorted());
  });

  it('an authority call for several batches continues their shared trace', async () => {
    const { url, spans } = await startCollector();
    const { traceId, headers } = newTrace();
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER: 'always_on' };
    await run(settings, async (api) => {
      await send(api, tenant, headers);
      await send(api, tenant, headers);
    });
    expect(spanNamed(spans, 'authority call')).toMatchObject({ traceId, linkedTraceIds: [traceId, traceId] });
  });

  it('a trace never contains data of another tenant', async () => {
    const { url, spans } = await startCollector();
    const tenants = [tenant, await createTenant(service)];
    const clients = [newTrace(), newTrace()];
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER: 'always_on' };
    const batchIds: string[] = [];
    await run(settings, async (api) => {
      for (const [index, by] of tenants.entries()) batchIds.push(await send(api, by, clients[index].headers));
    });
    for (const [index, by] of tenants.entries()) {
      const { traceId } = clients[index];
      const own = spans.filter((span) => span.traceId === traceId);
      const owners = own.map(({ attributes }) => attributes['einvoice.tenant_id']).filter((id) => id !== undefined);
      expect(own.map(({ name }) => name).toSorted()).toEqual([SUBMIT, 'accept', 'authority call', 'claim']);
      expect([...new Set(owners)]).toEqual([by.tenantId]);
      expect(own.flatMap(({ linkedTraceIds }) => linkedTraceIds)).toEqual([]);
      expect((await receivedHeaders(by)).map((header) => header?.slice(3, 35))).toEqual([traceId]);
      const status = JSON.stringify(await readStatus(service, by, batchIds[index]));
      for (const client of clients) expect(status).not.toContain(client.traceId);
    }
  });

  it.each([
    { what: 'flag', client: newTrace('01') },
    // A sampler based on the trace id would record this one at every ratio above 0.
    {
      what: 'trace id',
      client: { traceId: `${'0'.repeat(31)}1`, headers: { traceparent: `00-${'0'.repeat(31)}1-${'1'.repeat(16)}-01` } },
    },
  ])("the client's $what does not control sampling", async ({ client: { traceId, headers } }) => {
    const { url, spans } = await startCollector();
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER_ARG: '0.000000001' };
    let batchId = '';
    await run(settings, async (api) => (batchId = await send(api, tenant, headers)));
    expect(spans).toEqual([]);
    expect(await readStored(batchId)).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
  });

  it.each([
    { flags: '01', names: [SUBMIT, 'accept', 'authority call', 'claim'] },
    { flags: '00', names: [] },
  ])("the client's sampling flag $flags applies if the operator trusts clients", async ({ flags, names }) => {
    const { url, spans } = await startCollector();
    // The ratio applies only to requests without a trace.
    const share = flags === '01' ? '0' : '1';
    const settings = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: share };
    const { headers } = newTrace(flags);
    await run({ ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: url }, (api) => send(api, tenant, headers));
    expect(spans.map(({ name }) => name).toSorted()).toEqual(names);
  });

  it('spans omit URLs and error messages', async () => {
    const { url, spans } = await startCollector();
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER: 'always_on' };
    await run(settings, async (api) => {
      const tin = 'C9999888877';
      const headers = { 'X-API-Key': tenant.apiKey };
      const path = `/v1/einvoice/validate-taxpayer-tin/${tin}?idType=BRN&idValue=SECRET-BRN`;
      expect((await request(api, path, { headers })).status).toBe(200);
      expect((await post(api, tenant, { path: '/v1/einvoice/submit', body: '{"SECRET":' })).status).toBe(400);
      await send(api, tenant, {});
    });
    expect(spans.map(({ attributes }) => attributes['http.response.status_code'])).toContain(400);
    expect(JSON.stringify(spans)).not.toMatch(/C9999888877|SECRET/);
  });

  it('documents are submitted even if the collector is unreachable', async () => {
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_TRACES_SAMPLER: 'always_on' };
    const lines = await run(settings, (api) => send(api, tenant, {}));
    expect(await receivedHeaders(tenant)).toHaveLength(1);
    expect(lines.filter(({ context }) => context === 'Tracing')).not.toEqual([]);
  });
});

describe('without a collector', () => {
  it("the client's trace is continued as unsampled", async () => {
    const { traceId, spanId, headers } = newTrace('01');
    let batchId = '';
    const lines = await run({}, async (api) => (batchId = await send(api, tenant, headers)));
    expect(await readStored(batchId)).toBe(`00-${traceId}-${spanId}-00`);
    expect(await receivedHeaders(tenant)).toEqual([`00-${traceId}-${spanId}-00`]);
    expect(lines.filter((line) => line.traceId === traceId)).toMatchObject([
      { route: '/api/v1/einvoice/submit', status: 200 },
      { context: 'AuthorityClient' },
    ]);
  });

  it('each request and authority call has one log line at level info', async () => {
    const { traceId, headers } = newTrace('01');
    const documents = [reference(), reference()].map((referenceId) => invoice({ referenceId }));
    const lines = await run({ LOG_LEVEL: 'info' }, async (api) => {
      const body = { submission_type: 'non-consolidated', documents };
      expect((await post(api, tenant, { path: '/v1/einvoice/submit', body, headers })).status).toBe(200);
    });
    const { tenantId } = tenant;
    expect(lines.filter((line) => line.traceId === traceId)).toMatchObject([
      { route: '/api/v1/einvoice/submit', status: 200, tenantId, level: 30 },
      { msg: expect.stringContaining('submit: accepted') as string, tenantId, level: 30 },
    ]);
    expect(lines.filter(({ context }) => context === 'AuthorityClient')).toHaveLength(1);
  });

  it.each<{ what: string; headers: Record<string, string> }>([
    { what: 'malformed', headers: { traceparent: `00-${'g'.repeat(32)}-${'1'.repeat(16)}-01` } },
    { what: 'zero', headers: { traceparent: `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01` } },
    { what: 'missing', headers: { 'X-Request-Id': 'of-no-trace' } },
  ])('a $what traceparent is ignored', async ({ headers }) => {
    let batchId = '';
    const lines = await run({}, async (api) => (batchId = await send(api, tenant, headers)));
    expect(await readStored(batchId)).toBeNull();
    expect(await receivedHeaders(tenant)).toEqual([null]);
    expect(lines.filter((line) => line.traceId !== undefined)).toEqual([]);
  });

  it('an authority call for several traces only logs them', async () => {
    const clients = [newTrace(), newTrace()];
    const lines = await run({}, async (api) => {
      for (const { headers } of clients) await send(api, tenant, headers);
    });
    expect(await receivedHeaders(tenant)).toEqual([null]);
    const [line] = lines.filter(({ linkedTraceIds }) => linkedTraceIds !== undefined);
    expect((line.linkedTraceIds as string[]).toSorted()).toEqual(clients.map(({ traceId }) => traceId).toSorted());
  });

  it('a resent authority call continues its trace', async () => {
    const { traceId, headers } = newTrace();
    await service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-before' }]);
    await send(service, tenant, headers);
    await service.settle();
    const received = await receivedHeaders(tenant);
    expect(received).toHaveLength(2);
    expect(received.map((header) => header?.slice(3, 35))).toEqual([traceId, traceId]);
  });
});
