import type { ApiDescription, Operation } from './api-description.js';
import { listEndpoints } from './reference.js';

interface CollectedRequest {
  readonly operationId: string;
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object | null;
  /** JavaScript that both programs run; `get` and `set` are those of their variables. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const NAME = 'E-invoice submission service';
const BASE_URL = 'http://127.0.0.1:3000/api';
// Each poll is held for up to 20 seconds.
const POLLS_MAX = 30;

const NEW_DOCUMENT = [
  "set('referenceId', 'INV-' + Date.now());",
  "set('today', new Date(Date.now() + 8 * 3600000).toISOString().slice(0, 10));",
];

// What each request takes from the ones before it, in the order in which a run sends them.
const STEPS: readonly Pick<CollectedRequest, 'operationId' | 'headers' | 'before' | 'after'>[] = [
  {
    operationId: 'submitDryRun',
    headers: { 'Content-Type': 'application/json' },
    before: NEW_DOCUMENT,
    after: ["check('the documents can be submitted', status === 200 && body.dryRun === true);"],
  },
  {
    operationId: 'submit',
    headers: { 'Content-Type': 'application/json', 'idempotency-key': '{{idempotencyKey}}' },
    before: [
      ...NEW_DOCUMENT,
      "set('idempotencyKey', 'submit-' + get('referenceId'));",
      `set('etag', '""');`,
      "set('polls', '0');",
    ],
    after: [
      "check('the documents are queued', status === 200);",
      "set('submissionBatchId', body.submissionBatchId);",
      "set('documentId', body.documents[0].documentId);",
    ],
  },
  {
    operationId: 'readSubmissionStatus',
    headers: { Prefer: 'wait=20', 'If-None-Match': '{{etag}}' },
    before: [],
    after: [
      "set('polls', String(Number(get('polls')) + 1));",
      "set('etag', etag || get('etag'));",
      `const isOver = (status === 200 && body.terminal) || Number(get('polls')) >= ${POLLS_MAX};`,
      "if (isOver) check('the batch is Valid', status === 200 && body.status === 'Valid');",
      'else repeat();',
    ],
  },
  {
    operationId: 'validateTaxpayerTin',
    headers: {},
    before: [],
    after: ["check('the TIN is valid', status === 200 && body.valid === true);"],
  },
  {
    operationId: 'cancel',
    headers: { 'Content-Type': 'application/json', 'idempotency-key': '{{idempotencyKey}}' },
    before: ["set('idempotencyKey', 'cancel-' + get('referenceId'));"],
    after: ["check('the cancellation is queued', status === 202);"],
  },
];

/** A Postman collection and a Bruno folder of the same requests, each with an environment for the demo. */
export function buildCollections(description: ApiDescription): Map<string, string> {
  const requests = collectRequests(description);
  return new Map([
    ['postman/collection.json', formatJson(buildPostmanCollection(requests))],
    ['postman/environment.json', formatJson(buildPostmanEnvironment())],
    ['bruno/bruno.json', formatJson({ version: '1', name: NAME, type: 'collection' })],
    ['bruno/environments/demo.bru', `vars {\n  baseUrl: ${BASE_URL}\n}\nvars:secret [\n  apiKey\n]\n`],
    ...requests.map((request, index): [string, string] => [
      `bruno/${request.operationId}.bru`,
      formatBrunoRequest(request, index + 1),
    ]),
  ]);
}

function collectRequests(description: ApiDescription): CollectedRequest[] {
  const endpoints = listEndpoints(description);
  return STEPS.map((step) => {
    const endpoint = endpoints.find(({ operation }) => operation.operationId === step.operationId);
    if (endpoint === undefined) throw new Error(`openapi.json has no ${step.operationId}`);
    const { method, path, operation } = endpoint;
    return {
      ...step,
      name: operation.summary,
      method,
      url: `{{baseUrl}}${buildPath(path, operation)}`,
      headers: { 'X-API-Key': '{{apiKey}}', ...step.headers },
      body: buildBody(operation),
    };
  });
}

/** With the id of the batch that the run has submitted; other parameters have their examples. */
function buildPath(path: string, { parameters = [] }: Operation): string {
  const exampleOf = (name: string): string =>
    parameters.find((parameter) => parameter.name === name)?.schema.examples?.[0] as string;
  const query = parameters.filter(({ in: location }) => location === 'query');
  const text = path.replace('{submissionBatchId}', '{{submissionBatchId}}').replace('{tin}', () => exampleOf('tin'));
  return query.length === 0 ? text : `${text}?${query.map(({ name }) => `${name}=${exampleOf(name)}`).join('&')}`;
}

const OF_THE_RUN: Readonly<Record<string, string>> = {
  referenceId: '{{referenceId}}',
  document_date: '{{today}}',
  documentId: '{{documentId}}',
};

/** The first example of the description, with the number, date and id of the run. */
function buildBody({ requestBody }: Operation): object | null {
  const [example] = Object.values(requestBody?.content['application/json'].examples ?? {});
  if (example === undefined) return null;
  const text = JSON.stringify(example.value, (name, value: unknown) => OF_THE_RUN[name] ?? value);
  return JSON.parse(text) as object;
}

function formatJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const POSTMAN_VARIABLES = [
  'const get = (name) => pm.collectionVariables.get(name);',
  'const set = (name, value) => pm.collectionVariables.set(name, value);',
];
const POSTMAN_RESPONSE = [
  'const status = pm.response.code;',
  'const body = pm.response.text() ? pm.response.json() : null;',
  "const etag = pm.response.headers.get('ETag');",
  'const check = (name, holds) => pm.test(name, () => pm.expect(holds, pm.response.text()).to.equal(true));',
  'const repeat = () => pm.execution.setNextRequest(pm.info.requestName);',
];

function buildPostmanCollection(requests: readonly CollectedRequest[]): object {
  return {
    info: { name: NAME, schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    item: requests.map(({ name, method, url, headers, body, before, after }) => ({
      name,
      request: {
        method,
        url,
        header: Object.entries(headers).map(([key, value]) => ({ key, value })),
        ...(body === null ? {} : { body: { mode: 'raw', raw: JSON.stringify(body, null, 2) } }),
      },
      event: [
        toPostmanEvent('prerequest', [...POSTMAN_VARIABLES, ...before]),
        toPostmanEvent('test', [...POSTMAN_VARIABLES, ...POSTMAN_RESPONSE, ...after]),
      ],
    })),
  };
}

function toPostmanEvent(listen: string, exec: readonly string[]): object {
  return { listen, script: { type: 'text/javascript', exec } };
}

function buildPostmanEnvironment(): object {
  return {
    name: 'Demo',
    values: [
      { key: 'baseUrl', value: BASE_URL, enabled: true },
      { key: 'apiKey', value: '', type: 'secret', enabled: true },
    ],
  };
}

const BRUNO_VARIABLES = [
  'const get = (name) => bru.getVar(name);',
  'const set = (name, value) => bru.setVar(name, value);',
];
const BRUNO_RESPONSE = [
  'const status = res.getStatus();',
  'const body = res.getBody();',
  "const etag = res.getHeader('etag');",
  'const check = (name, holds) => test(name, () => expect(holds, JSON.stringify(body)).to.equal(true));',
  'const repeat = () => bru.setNextRequest(req.getName());',
];

function formatBrunoRequest(request: CollectedRequest, position: number): string {
  const { name, method, url, headers, body, before, after } = request;
  const indent = (lines: readonly string[]): string =>
    lines
      .flatMap((line) => line.split('\n'))
      .map((line) => `  ${line}`)
      .join('\n');
  const block = (title: string, lines: readonly string[]): string => `${title} {\n${indent(lines)}\n}\n`;
  return [
    block('meta', [`name: ${name}`, 'type: http', `seq: ${position}`]),
    block(method.toLowerCase(), [`url: ${url}`, `body: ${body === null ? 'none' : 'json'}`, 'auth: none']),
    block(
      'headers',
      Object.entries(headers).map(([header, value]) => `${header}: ${value}`),
    ),
    ...(body === null ? [] : [block('body:json', [JSON.stringify(body, null, 2)])]),
    ...(before.length === 0 ? [] : [block('script:pre-request', [...BRUNO_VARIABLES, ...before])]),
    block('tests', [...BRUNO_VARIABLES, ...BRUNO_RESPONSE, ...after]),
  ].join('\n');
}
