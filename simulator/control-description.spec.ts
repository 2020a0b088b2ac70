import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { apiNames } from './api-names.js';
import { type ControlCallName, controlCallNames, controlDescription } from './control-description.js';
import { callsByFault, faultNames } from './fault-table.js';
import { settingNames } from './settings.js';
import { type Simulator, startSimulator } from './simulator.js';
import { exampleEntry } from './testing/example-documents.js';
import { TestClient, type TestResponse, control, send, supplierTin } from './testing/test-client.js';

const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/);
ajv.addVocabulary(['components', 'openapi', 'info', 'servers', 'security', 'tags', 'paths']);
ajv.addSchema({ ...controlDescription, $id: 'control' });

/** Returns the JSON pointer of the schema of a request body or response. */
function pointTo(name: ControlCallName, ...inOperation: (string | number)[]): string {
  const [method = '', path = ''] = name.split(' ');
  const steps = ['paths', path, method.toLowerCase(), ...inOperation, 'content', 'application/json', 'schema'];
  return `control#/${steps.map((step) => String(step).replaceAll('/', '~1')).join('/')}`;
}

function findMistakes(value: unknown, pointer: string): unknown {
  const validate = ajv.getSchema(pointer);
  if (!validate) throw new Error(`There is no schema at ${pointer}`);
  return validate(value) ? null : validate.errors;
}

const hasBody = (name: ControlCallName): boolean => ajv.getSchema(pointTo(name, 'requestBody')) !== undefined;

let simulator: Simulator;
let uuid = '';
beforeAll(async () => {
  simulator = await startSimulator({ settings: { validationDelayMs: 0 } });
});
beforeEach(async () => {
  await control(simulator.url, 'reset');
  const client = await TestClient.login(simulator.url);
  await client.accept(exampleEntry({ number: 'SIM-INVALID-CV302-1' }));
  uuid = await client.accept(exampleEntry());
  await control(simulator.url, 'faults', [
    { when: { api: 'token', supplierTin }, fault: 'drop-before' },
    { when: { api: 'search', referenceId: 'A' }, fault: 'late' },
  ]);
  await expect(TestClient.login(simulator.url)).rejects.toThrow('fetch failed');
});
afterAll(() => simulator.close());

function call(name: ControlCallName, body?: unknown, query = ''): Promise<TestResponse> {
  const [method, path = ''] = name.split(' ');
  return send(simulator.url + path + query, { method, body: body === undefined ? undefined : JSON.stringify(body) });
}

/** Queries of valid requests. Valid request bodies are in `bodies`. */
const queries: Partial<Record<ControlCallName, () => string[]>> = {
  'GET /_control/documents': () => ['', '?last=1'],
  'GET /_control/document': () => [`?uuid=${uuid}`],
  'GET /_control/wire-log': () => ['', '?after=1', '?last=1'],
  'GET /_control/calls': () => ['', '?after=1', '?last=1'],
};
const bodies: Partial<Record<ControlCallName, () => unknown[]>> = {
  'POST /_control/reset': () => [{}, undefined],
  'POST /_control/clock': () => [{ advanceSeconds: 0.5 }],
  'POST /_control/settings': () => [{}, { validationDelayMs: 1, clientId: null }],
  'POST /_control/faults': () => [
    [],
    [{ when: { api: 'submit', referenceId: 'A', supplierTin }, fault: 'stuck', times: 2, every: 3 }],
  ],
  'POST /_control/taxpayers': () => [
    { tin: supplierTin, appointed: false },
    { tin: supplierTin, appointed: true, permissions: ['view', 'cancel'] },
  ],
  'POST /_control/portal': () => [{ uuid, action: 'reject' }],
};

describe('description of the control calls', () => {
  it('equals the served description and simulator/openapi.json', async () => {
    const served = (await send(`${simulator.url}/_control/openapi.json`)).json();
    await expect(`${JSON.stringify(served, null, 2)}\n`).toMatchFileSnapshot('openapi.json');
  });

  it('lists exactly the calls that the simulator supports', async () => {
    const paths = Object.keys(controlDescription.paths);
    expect(paths.length).toBeGreaterThan(8);
    for (const path of [...paths, '/_control/nothing']) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const isKnown = (await send(simulator.url + path, { method })).status !== 404;
        expect(isKnown, `${method} ${path}`).toBe(controlCallNames.includes(`${method} ${path}` as ControlCallName));
      }
    }
  });

  it.each(controlCallNames)('matches a request and the response of %s', async (name) => {
    const requests = hasBody(name)
      ? (bodies[name]?.() ?? []).map((body) => ({ body, query: '' }))
      : (queries[name]?.() ?? ['']).map((query) => ({ body: undefined, query }));
    expect(requests.length).toBeGreaterThan(0);
    for (const { body, query } of requests) {
      if (body !== undefined) expect(findMistakes(body, pointTo(name, 'requestBody'))).toBeNull();
      const response = await call(name, body, query);
      expect(response.status, response.text).toBe(200);
      expect(findMistakes(response.json(), pointTo(name, 'responses', 200)), response.text).toBeNull();
    }
  });

  it.each(controlCallNames)('describes the error of %s for an unknown parameter', async (name) => {
    const response = await call(name, undefined, '?colour=red');
    expect(response.status).toBe(400);
    expect(findMistakes(response.json(), pointTo(name, 'responses', 400))).toBeNull();
  });

  const wrongBodies: [ControlCallName, unknown][] = [
    ['POST /_control/reset', { all: true }],
    ['POST /_control/clock', {}],
    ['POST /_control/clock', { advanceSeconds: -1 }],
    ['POST /_control/clock', { advanceSeconds: '1' }],
    ['POST /_control/settings', { speed: 1 }],
    ['POST /_control/faults', { when: { api: 'token' }, fault: 'late' }],
    ['POST /_control/faults', [{ when: {}, fault: 'late' }]],
    ['POST /_control/faults', [{ when: { api: 'token' } }]],
    ['POST /_control/faults', [{ when: { api: 'tokens' }, fault: 'late' }]],
    ['POST /_control/faults', [{ when: { api: 'token' }, fault: 'early' }]],
    ['POST /_control/faults', [{ when: { api: 'token' }, fault: 'late', times: 0 }]],
    ['POST /_control/faults', [{ when: { api: 'token' }, fault: 'late', every: 1.5 }]],
    ['POST /_control/faults', [{ when: { api: 'token', uuid: 'A' }, fault: 'late' }]],
    ['POST /_control/taxpayers', { tin: supplierTin }],
    ['POST /_control/taxpayers', { tin: supplierTin, appointed: true, permissions: [] }],
    ['POST /_control/taxpayers', { tin: supplierTin, appointed: true, permissions: ['pay'] }],
    ['POST /_control/portal', { uuid: 'A', action: 'approve' }],
    ['POST /_control/portal', { action: 'cancel' }],
  ];
  it.each(wrongBodies)('rejects the request %s %j like the simulator', async (name, body) => {
    expect(findMistakes(body, pointTo(name, 'requestBody'))).not.toBeNull();
    const response = await call(name, body);
    expect(response.status).toBe(400);
    expect(findMistakes(response.json(), pointTo(name, 'responses', 400))).toBeNull();
  });

  it.each(settingNames)('allows the same values of the setting %s as the simulator', async (name) => {
    const values = [
      null,
      true,
      0,
      0.5,
      -1,
      '',
      'A',
      'DS302',
      'DV302',
      'invalid',
      'accepted',
      'payloads',
      'documents',
      [],
    ];
    const verdicts = { described: [] as unknown[], taken: [] as unknown[] };
    for (const value of values) {
      const body = { [name]: value };
      if (findMistakes(body, pointTo('POST /_control/settings', 'requestBody')) === null)
        verdicts.described.push(value);
      if ((await call('POST /_control/settings', body)).status === 200) verdicts.taken.push(value);
      await control(simulator.url, 'settings', { clientId: null, clientSecret: null, lateAnswerMs: 0, latencyMs: 0 });
    }
    expect(verdicts.described).toEqual(verdicts.taken);
    expect(verdicts.taken.length).toBeGreaterThan(0);
  });

  it('lists the calls that support each fault', async () => {
    const { description } = controlDescription.components.schemas.FaultName;
    for (const fault of faultNames) {
      const statuses = apiNames.map((api) => call('POST /_control/faults', [{ when: { api }, fault }]));
      const taken = (await Promise.all(statuses)).flatMap(({ status }, index) =>
        status === 200 ? [apiNames[index]] : [],
      );
      const calls = callsByFault[fault] ? ` (${taken.join(', ')})` : '';
      expect(description).toContain(`- \`${fault}\`${calls}: `);
      if (!callsByFault[fault]) expect(taken).toEqual(apiNames);
    }
  });
});
