import { type Endpoint, ENDPOINTS } from './api-description.js';

const BASE_URL = 'http://127.0.0.1:3000/api';
// Limits the number of polls. Each poll waits for up to 20 seconds.
const POLLS_MAX = 30;

/** Request of a run. Its scripts pass values to later requests in variables. */
interface Step {
  readonly operationId: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly before?: readonly string[];
  readonly after: readonly string[];
}

const JSON_BODY = { 'Content-Type': 'application/json' };
const NEW_DOCUMENT = [
  "set('referenceId', 'INV-' + Date.now());",
  "set('today', new Date(Date.now() + 8 * 3600000).toISOString().slice(0, 10));",
];

const STEPS: readonly Step[] = [
  {
    operationId: 'submitDryRun',
    headers: JSON_BODY,
    before: NEW_DOCUMENT,
    after: ["check('the documents can be submitted', status === 200 && body.dryRun === true);"],
  },
  {
    operationId: 'submit',
    headers: { ...JSON_BODY, 'idempotency-key': '{{idempotencyKey}}' },
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
    after: [
      "set('polls', String(Number(get('polls')) + 1));",
      "set('etag', etag || get('etag'));",
      `const isOver = (status === 200 && body.terminal) || Number(get('polls')) >= ${POLLS_MAX};`,
      "if (isOver) check('the batch is Valid', status === 200 && body.status === 'Valid');",
      'else pm.execution.setNextRequest(pm.info.requestName);',
    ],
  },
  {
    operationId: 'validateTaxpayerTin',
    after: ["check('the TIN is valid', status === 200 && body.valid === true);"],
  },
  {
    operationId: 'cancel',
    headers: { ...JSON_BODY, 'idempotency-key': '{{idempotencyKey}}' },
    before: ["set('idempotencyKey', 'cancel-' + get('referenceId'));"],
    after: ["check('the cancellation is queued', status === 202);"],
  },
];

const VARIABLES = [
  'const get = (name) => pm.collectionVariables.get(name);',
  'const set = (name, value) => pm.collectionVariables.set(name, value);',
];
const RESPONSE = [
  'const status = pm.response.code;',
  'const body = pm.response.text() ? pm.response.json() : null;',
  "const etag = pm.response.headers.get('ETag');",
  'const check = (name, holds) => pm.test(name, () => pm.expect(holds, pm.response.text()).to.equal(true));',
];

/** Builds the Postman collection and its environment for the demo. */
export function buildPostmanFiles(): [file: string, content: string][] {
  const collection = {
    info: {
      name: 'E-invoice submission service',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    item: STEPS.map(toItem),
  };
  const environment = {
    name: 'Demo',
    values: [
      { key: 'baseUrl', value: BASE_URL, enabled: true },
      { key: 'apiKey', value: '', type: 'secret', enabled: true },
    ],
  };
  return [
    ['postman/collection.json', `${JSON.stringify(collection, null, 2)}\n`],
    ['postman/environment.json', `${JSON.stringify(environment, null, 2)}\n`],
  ];
}

function toItem({ operationId, headers = {}, before = [], after }: Step): object {
  const endpoint = ENDPOINTS.find((one) => one.operationId === operationId);
  if (endpoint === undefined) throw new Error(`openapi.json has no ${operationId}`);
  const body = buildBody(endpoint);
  const toEvent = (listen: string, exec: string[]): object => ({ listen, script: { type: 'text/javascript', exec } });
  return {
    name: endpoint.summary,
    request: {
      method: endpoint.method,
      url: `{{baseUrl}}${buildPath(endpoint)}`,
      header: Object.entries({ 'X-API-Key': '{{apiKey}}', ...headers }).map(([key, value]) => ({ key, value })),
      ...(body === null ? {} : { body: { mode: 'raw', raw: body } }),
    },
    event: [toEvent('prerequest', [...VARIABLES, ...before]), toEvent('test', [...VARIABLES, ...RESPONSE, ...after])],
  };
}

/** Fills the path with the batch id of the run and the examples of the other parameters. */
function buildPath({ path, parameters = [] }: Endpoint): string {
  const exampleOf = (name: string): string =>
    parameters.find((parameter) => parameter.name === name)?.schema.examples?.[0] as string;
  const query = parameters.filter(({ in: location }) => location === 'query');
  const text = path.replace('{submissionBatchId}', '{{submissionBatchId}}').replace('{tin}', () => exampleOf('tin'));
  return query.length === 0 ? text : `${text}?${query.map(({ name }) => `${name}=${exampleOf(name)}`).join('&')}`;
}

const RUN_VALUES: Readonly<Record<string, string>> = {
  referenceId: '{{referenceId}}',
  document_date: '{{today}}',
  documentId: '{{documentId}}',
};

/** Returns the first example of the API description with the number, date and id of the run. */
function buildBody({ requestBody }: Endpoint): string | null {
  const [example] = Object.values(requestBody?.content['application/json'].examples ?? {});
  if (example === undefined) return null;
  return JSON.stringify(example.value, (name, value: unknown) => RUN_VALUES[name] ?? value, 2);
}
