import { COMPUTED_TOTALS } from '../../src/documents/dto/document.dto.js';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type ApiResponse, createTenant, get, issue, request, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { rawRequest } from '../support/raw-http.js';
import { startFileService } from '../support/file-service.js';
import {
  type ApiOperation,
  listExamples,
  OPERATIONS,
  readExample,
  SCHEMAS,
  findViolations,
} from './api-description.js';

// The examples in openapi.json work, and the responses match its schemas.

const service = await startFileService({ simulator: { unknownParents: 'accepted' } });
const tenant = await createTenant(service);

function findOperation(operationId: string): ApiOperation {
  const operation = OPERATIONS.get(operationId);
  if (operation === undefined) throw new Error(`openapi.json has no ${operationId}`);
  return operation;
}

function requestExamples(operationId: string): [name: string, body: object][] {
  const body = findOperation(operationId).requestBody;
  if (body === undefined) throw new Error(`${operationId} takes no body`);
  return listExamples(body.content['application/json']) as [string, object][];
}

/** Returns the examples of the header parameters with a new idempotency key. */
function exampleHeaders(operationId: string): Record<string, string> {
  const headers = findOperation(operationId).parameters.filter((parameter) => parameter.in === 'header');
  const examples = headers.map(({ name, schema }): [string, string] => [name, String(readExample(schema))]);
  return { ...Object.fromEntries(examples), 'idempotency-key': randomUUID() };
}

function findExample(operationId: string, parameter: string): string {
  const found = findOperation(operationId).parameters.find(({ name }) => name === parameter);
  return String(readExample(found?.schema ?? {}));
}

function send(path: string, operationId: string, body: object, of: TestTenant = tenant): Promise<ApiResponse> {
  const headers = { ...exampleHeaders(operationId), 'X-API-Key': of.apiKey, 'Content-Type': 'application/json' };
  return request(service, path, { method: 'POST', headers, body: JSON.stringify(body) });
}

const HTTP_HEADERS = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  // Undocumented headers for browsers and caches.
  'cache-control',
  'x-content-type-options',
]);

/** Asserts that the status, body and headers of a response are documented. */
function expectDescribed(operationId: string, response: ApiResponse): void {
  const described = findOperation(operationId).responses[String(response.status)];
  expect(described, `${operationId} ${response.status}`).toBeDefined();
  const names = Object.keys(described.headers ?? {}).map((name) => name.toLowerCase());
  const others = [...response.headers.keys()].filter((name) => !HTTP_HEADERS.has(name) && !names.includes(name));
  expect(others, `headers of ${operationId} ${response.status}`).toEqual([]);
  const content = described.content?.['application/json'];
  if (content !== undefined) expect(findViolations(response.body, content.schema)).toEqual([]);
}

describe('request examples in openapi.json', () => {
  it.each(requestExamples('submit'))('are accepted by submit: %s', async (_name, body) => {
    const preview = await send('/v1/einvoice/submit/dry-run', 'submitDryRun', body);
    expectNoWarnings(preview);
    expectDescribed('submitDryRun', preview);
    const response = await send('/v1/einvoice/submit', 'submit', body);
    expectNoWarnings(response);
    expectDescribed('submit', response);
  });

  /** Allows only the warning about the constant date of an example, which is in the distant past. */
  function expectNoWarnings({ status, body, text }: ApiResponse): void {
    const rules = (body.warnings as { rule: string }[] | undefined)?.map(({ rule }) => rule);
    expect([status, rules], text).toEqual([200, ['document_date_too_old']]);
  }

  it('become Valid documents', async () => {
    await service.settle();
    const [{ states }] = await service.owner.query<{ states: string[] }[]>(
      `SELECT array_agg(coalesce(authority_status, submission_status)) AS states FROM document_transaction
        WHERE tenant_id = $1`,
      [tenant.tenantId],
    );
    expect(states).toEqual(requestExamples('submit').map(() => 'Valid'));
  });

  it.each(['NonConsolidatedSubmitDto', 'ConsolidatedSubmitDto'])(
    'form an accepted %s when combined by field',
    async (kind) => {
      const other = await createTenant(service);
      const { submission_type: submissionType, documents } = SCHEMAS[kind].properties ?? {};
      const body = { submission_type: readExample(submissionType), documents: readExample(documents) };
      const response = await send('/v1/einvoice/submit', 'submit', body, other);
      expect(response.status, response.text).toBe(200);
    },
  );

  it.each(requestExamples('cancel'))('are accepted by cancel: %s', async (_name, body) => {
    const { documents, submissionBatchId } = await issue(service, tenant, invoice());
    const { documentId } = documents[0];
    const response = await send('/v1/einvoice/cancel', 'cancel', { ...body, documentId });
    expect(response.status, response.text).toBe(202);
    expectDescribed('cancel', response);
    await service.settle();
    const status = await get(service, tenant, `/v1/saas/submissions/${submissionBatchId}/status`);
    expect(status.body.status).toBe('Cancelled');
    expectDescribed('readSubmissionStatus', status);
  });

  it('are accepted by the status endpoint before and after the outcome', async () => {
    const headers = { ...exampleHeaders('readSubmissionStatus') };
    const [[, body]] = requestExamples('submit');
    const other = await createTenant(service);
    const { submissionBatchId } = (await send('/v1/einvoice/submit', 'submit', body, other)).body;
    const path = `/v1/saas/submissions/${submissionBatchId}/status`;
    const queued = await get(service, other, path, headers);
    expect(queued.status, queued.text).toBe(200);
    expectDescribed('readSubmissionStatus', queued);
    await service.settle();
    const ended = await get(service, other, path, headers);
    expectDescribed('readSubmissionStatus', ended);
    const unchanged = await get(service, other, path, { 'If-None-Match': ended.headers.get('etag') ?? '' });
    expect(unchanged.status).toBe(304);
    expectDescribed('readSubmissionStatus', unchanged);
  });

  it("include the status of the first submit example's batch", async () => {
    const [[, body]] = requestExamples('submit');
    const other = await createTenant(service);
    const { submissionBatchId } = (await send('/v1/einvoice/submit', 'submit', body, other)).body;
    await service.settle();
    const { body: status } = await get(service, other, `/v1/saas/submissions/${submissionBatchId}/status`);
    const content = findOperation('readSubmissionStatus').responses['200'].content?.['application/json'];
    expect(withoutIds(status)).toEqual(withoutIds(content?.example));
  });

  it('are accepted by the TIN check', async () => {
    const [tin, idType, idValue] = ['tin', 'idType', 'idValue'].map((name) => findExample('validateTaxpayerTin', name));
    const path = `/v1/einvoice/validate-taxpayer-tin/${tin}?idType=${idType}&idValue=${idValue}`;
    const response = await get(service, tenant, path, exampleHeaders('validateTaxpayerTin'));
    expect(response.body, response.text).toMatchObject({ tin, valid: true });
    expectDescribed('validateTaxpayerTin', response);
  });

  it('are accepted by the health checks without an API key', async () => {
    for (const check of ['live', 'ready']) {
      const response = await request(service, `/health/${check}`);
      expect(response.status).toBe(200);
      expectDescribed(check, response);
    }
  });
});

describe('alternative spelling of a request field', () => {
  const spellings = Object.values(SCHEMAS).flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([name, { description = '' }]) => {
      const [, other] = /(?:Also accepted|Required; also accepted) as `(\w+)`/.exec(description) ?? [];
      return other === undefined ? [] : [[name, other] as const];
    }),
  );
  const respell = (body: object, names: readonly string[]): object => {
    const chosen = spellings.filter(([name]) => names.includes(name));
    const spelled = chosen.reduce(
      (text, [name, other]) => text.replaceAll(`"${name}":`, `"${other}":`),
      JSON.stringify(body),
    );
    return JSON.parse(spelled) as object;
  };

  // The examples request strict handling, which rejects unknown fields.
  it('is accepted by submit with the same result', async () => {
    const names = ['submission_type', 'document_date', 'entity_type'];
    const [[, example]] = requestExamples('submit');
    const path = '/v1/einvoice/submit/dry-run';
    // Warnings point to the spelling used in the request.
    const read = ({ status, body }: ApiResponse): unknown => [
      status,
      body.documents,
      (body.warnings as { rule: string }[] | undefined)?.map(({ rule }) => rule),
    ];
    const other = await createTenant(service);
    const expected = read(await send(path, 'submit', example, other));
    expect(expected).toEqual([200, [expect.anything()], ['document_date_too_old']]);
    for (const name of names) {
      const body = respell(example, [name]);
      expect(body).not.toEqual(example);
      expect(read(await send(path, 'submit', body, other)), name).toEqual(expected);
    }
  });

  it('is accepted by cancel with the same result', async () => {
    const { submissionBatchId, documents } = await issue(service, tenant, invoice());
    const [[, example]] = requestExamples('cancel') as [[string, { cancellationReason: string }]];
    const { documentId } = documents[0];
    const body = respell({ ...example, documentId }, ['documentId', 'cancellationReason']);
    expect(Object.keys(body)).toEqual(['document_id', 'cancellation_reason']);
    const response = await send('/v1/einvoice/cancel', 'cancel', body);
    expect([response.status, response.body.documentId], response.text).toEqual([202, documentId]);
    const { body: status } = await get(service, tenant, `/v1/saas/submissions/${submissionBatchId}/status`);
    expect(status.documents[0].cancellation.reason).toBe(example.cancellationReason);
  });

  it('exists only for the documented fields', () => {
    expect([...new Set(spellings.map(([name]) => name))].toSorted()).toEqual(
      [
        'submission_type',
        'document_date',
        'entity_type',
        'documentId',
        'cancellationReason',
        // Tested in src/submission/submit-body.kept.spec.ts.
        'taxRate',
        // Tested in test/submission/unsupported-members.e2e.spec.ts.
        ...COMPUTED_TOTALS.map(([name]) => name),
      ].toSorted(),
    );
  });
});

/** Removes ids and timestamps, which differ between batches. */
function withoutIds(value: unknown): unknown {
  const isOwn = /(?:Id|Uid|Uuid|Url|At|Until)$/;
  const text = JSON.stringify(value, (name, member: unknown) =>
    isOwn.test(name) && name !== 'referenceId' && typeof member === 'string' ? '…' : member,
  );
  return JSON.parse(text) as unknown;
}

describe('fields of an error response match its example', () => {
  const some = '019a8b5e-7c1f-7000-8000-00000000000f';
  const TOO_LONG = 'x'.repeat(300);
  const sendRaw = (
    method: string,
    path: string,
    headers: readonly (readonly [string, string])[],
  ): Promise<ApiResponse> => rawRequest(service, { method, path: `/api${path}`, headers });
  const cases: [operationId: string, answered: string, call: () => Promise<ApiResponse>][] = [
    ['submit', '400 validation_failed', () => send('/v1/einvoice/submit', 'submit', { documents: [] })],
    [
      'submit',
      '401 api_key_invalid',
      () => send('/v1/einvoice/submit', 'submit', {}, { tenantId: '', apiKey: 'eisk_test_x' }),
    ],
    [
      'submit',
      '402 insufficient_credits',
      async () => {
        const poor = await createTenant(service, { credits: 0 });
        return send('/v1/einvoice/submit', 'submit', requestExamples('submit')[0][1], poor);
      },
    ],
    ['submit', '409 duplicate_document', () => send('/v1/einvoice/submit', 'submit', requestExamples('submit')[0][1])],
    [
      'submit',
      '400 supplier_profile_incomplete',
      async () => {
        const incomplete = await createTenant(service, { profile: { msic: null } });
        return send('/v1/einvoice/submit', 'submit', requestExamples('submit')[0][1], incomplete);
      },
    ],
    [
      'submit',
      '400 supplier_not_verified',
      async () => {
        const unverified = await createTenant(service, { isVerified: false });
        return send('/v1/einvoice/submit', 'submit', requestExamples('submit')[0][1], unverified);
      },
    ],
    ['cancel', '400 validation_failed', () => send('/v1/einvoice/cancel', 'cancel', {})],
    ['cancel', '404 document_not_found', () => send('/v1/einvoice/cancel', 'cancel', { documentId: some })],
    [
      'cancel',
      '409 document_not_valid',
      async () => {
        const { documents } = await issue(
          service,
          tenant,
          invoice({ referenceId: `SIM-INVALID-CV302-${randomUUID().slice(0, 8)}` }),
        );
        return send('/v1/einvoice/cancel', 'cancel', { documentId: documents[0].documentId });
      },
    ],
    [
      'cancel',
      '409 cancellation_in_progress',
      async () => {
        const { documents } = await issue(service, tenant, invoice());
        const { documentId } = documents[0];
        await send('/v1/einvoice/cancel', 'cancel', { documentId });
        return send('/v1/einvoice/cancel', 'cancel', { documentId });
      },
    ],
    [
      'readSubmissionStatus',
      '400 submission_batch_id_invalid',
      () => get(service, tenant, '/v1/saas/submissions/x/status'),
    ],
    [
      'readSubmissionStatus',
      '404 submission_batch_not_found',
      () => get(service, tenant, `/v1/saas/submissions/${some}/status`),
    ],
    [
      'validateTaxpayerTin',
      '400 validation_failed',
      () => get(service, tenant, '/v1/einvoice/validate-taxpayer-tin/C25845632020?idValue=1'),
    ],
    [
      'validateTaxpayerTin',
      '400 taxpayer_id_required',
      () => get(service, tenant, '/v1/einvoice/validate-taxpayer-tin/C25845632029'),
    ],
    ['readSubmissionStatus', '414 uri_too_long', () => get(service, tenant, `/v1/saas/submissions/${TOO_LONG}/status`)],
    [
      'validateTaxpayerTin',
      '414 uri_too_long',
      () => get(service, tenant, `/v1/einvoice/validate-taxpayer-tin/${TOO_LONG}`),
    ],
    ...(
      [
        ['submit', 'POST', '/v1/einvoice/submit'],
        ['readSubmissionStatus', 'GET', `/v1/saas/submissions/${some}/status`],
        ['live', 'GET', '/health/live'],
      ] as const
    ).flatMap(([operationId, method, path]): typeof cases => [
      [operationId, '431 headers_too_large', () => sendRaw(method, path, [['X-Long', 'x'.repeat(100_000)]])],
      [
        operationId,
        '400 malformed_request',
        () =>
          sendRaw(method, path, [
            ['Content-Length', '1'],
            ['Transfer-Encoding', 'chunked'],
          ]),
      ],
    ]),
  ];

  it.each(cases)('%s: %s', async (operationId, answered, call) => {
    const response = await call();
    expect(`${response.status} ${response.body.code}`, response.text).toBe(answered);
    expectDescribed(operationId, response);
    const content = findOperation(operationId).responses[String(response.status)].content?.['application/json'];
    const example = content?.examples?.[String(response.body.code)]?.value;
    expect(Object.keys(response.body).toSorted()).toEqual(Object.keys(example ?? {}).toSorted());
  });
});
