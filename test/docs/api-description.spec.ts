import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/errors/error-codes.js';
import type { Operation } from '../../src/errors/explanation.js';
import { listErrors, listErrorStatuses } from '../../src/errors/operation-errors.js';
import {
  API,
  type Described,
  findViolations,
  isNullable,
  listExamples,
  OPERATIONS,
  readExample,
  resolve,
  SCHEMAS,
} from './api-description.js';

// What a client's developer must find in openapi.json. Each test names what is missing.

const CODES_OF: Readonly<Record<string, Operation>> = {
  submit: 'submit',
  readSubmissionStatus: 'status',
  validateTaxpayerTin: 'taxpayer',
  cancel: 'cancel',
  live: 'live',
  ready: 'ready',
};
const REQUESTS = /^(?:Submit|Document|Recipient|LineItem|RelatedInvoice|Cancel)Dto$/;

const operations = [...OPERATIONS.values()];
const fields = Object.entries(SCHEMAS).flatMap(([schema, described]) =>
  Object.entries(resolve(described).properties ?? {}).map(([name, field]) => ({
    name: `${schema}.${name}`,
    schema,
    field,
  })),
);
const listNames = (found: readonly { name: string }[]): string[] => found.map(({ name }) => name);

/** Without a text that says something, or without an example. */
const isBare = ({ description, schema }: Described): boolean =>
  isTextless(description) || readExample(schema) === undefined;
const isTextless = (text = ''): boolean => text.trim().length < 5;

describe('every field of every request and answer', () => {
  it('has a description and an example', () => {
    expect(fields.length).toBeGreaterThan(150);
    expect(listNames(fields.filter(({ field }) => isBare({ description: field.description, schema: field })))).toEqual(
      [],
    );
  });

  it('has an example that keeps to its own type and limits', () => {
    expect(fields.flatMap(({ name, field }) => findViolations(readExample(field), field, name))).toEqual([]);
  });

  it('of a request says how much it takes', () => {
    const sent = fields.filter(({ schema }) => REQUESTS.test(schema));
    expect(sent.length).toBeGreaterThan(40);
    const isUnlimited = ({ field: described }: (typeof fields)[number]): boolean => {
      const field = resolve(described);
      if (field.type === 'string') return field.maxLength === undefined && field.enum === undefined;
      if (field.type === 'number') {
        return (field.minimum ?? field.exclusiveMinimum) === undefined || field.exclusiveMaximum === undefined;
      }
      return field.type === 'array' && field.maxItems === undefined;
    };
    expect(listNames(sent.filter(isUnlimited))).toEqual([]);
  });

  it('of an answer that names a document, an id or an instant says its form', () => {
    const formless = fields.filter(({ name, field }) => {
      if (/\.(?:documentId|transactionId|submissionBatchId)$/.test(name))
        return field.format !== 'uuid' && !field.pattern;
      return /(?:At|Until|since)$/.test(name) && field.format !== 'date-time';
    });
    expect(listNames(formless)).toEqual([]);
  });
});

describe.each(operations)('$operationId', (operation) => {
  const { operationId, parameters, responses } = operation;
  const answers = Object.entries(responses);

  it('has a group, a summary and a description', () => {
    expect(operation.tags).toHaveLength(1);
    expect([operation.summary, operation.description].map(isTextless)).toEqual([false, false]);
  });

  it('has a description and a fitting example of every parameter and header', () => {
    expect(listNames(parameters.filter(isBare))).toEqual([]);
    expect(parameters.flatMap(({ name, schema }) => findViolations(readExample(schema), schema, name))).toEqual([]);
    const headers = answers.flatMap(([status, { headers = {} }]) =>
      Object.entries(headers).map(([name, header]) => ({ ...header, name: `${status} ${name}` })),
    );
    expect(listNames(headers.filter(isBare))).toEqual([]);
    expect(headers.flatMap(({ name, schema }) => findViolations(readExample(schema), schema, name))).toEqual([]);
  });

  it('has every error response that the catalogue gives it, with an example of every code', () => {
    const codes = CODES_OF[operationId];
    const isPublic = operation.security?.length === 0;
    const hasParameter = parameters.some((parameter) => parameter.in === 'path');
    const always = [400, 408, 429, 431, 500, 503];
    const statuses = new Set([
      ...listErrorStatuses(codes),
      ...always,
      ...(isPublic ? [] : [401]),
      ...(hasParameter ? [414] : []),
    ]);
    const expected = [...statuses].flatMap((status) =>
      listErrors(codes, status).map(({ code }) => `${status} ${code}`),
    );
    const described = answers
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([status, { content }]) =>
        Object.values(content?.['application/json'].examples ?? {}).map(
          ({ value }) => `${status} ${(value as { code: string }).code}`,
        ),
      );
    expect(described.toSorted()).toEqual(expected.toSorted());
  });

  it('has a body with an example of every answer but 304, and the example is as the schema says', () => {
    for (const [status, { content }] of answers.filter(([status]) => status !== '304')) {
      const body = content?.['application/json'];
      if (body === undefined) throw new Error(`${operationId} ${status} has no body`);
      const examples = listExamples(body);
      expect(examples, status).not.toEqual([]);
      for (const [name, value] of examples) expect(findViolations(value, body.schema), `${status} ${name}`).toEqual([]);
    }
  });

  it('names the call in every answer, and the environment in every answer to a known key', () => {
    for (const [status, { headers = {} }] of answers) {
      expect(Object.keys(headers), status).toContain('X-Request-Id');
      const isKeyKnown = operation.security?.length !== 0 && !['401', '414', '431'].includes(status);
      expect('X-Environment' in headers, status).toBe(isKeyKnown);
    }
  });
});

describe('the description as a whole', () => {
  it('joins the base address and the paths to the addresses of the interface', () => {
    expect(API.servers.map(({ url }) => url)).toEqual(['/api']);
    expect(Object.keys(API.paths).toSorted()).toEqual([
      '/health/live',
      '/health/ready',
      '/v1/einvoice/cancel',
      '/v1/einvoice/submit',
      '/v1/einvoice/validate-taxpayer-tin/{tin}',
      '/v1/saas/submissions/{submissionBatchId}/status',
    ]);
  });

  it('keeps the operationIds, after which generators name their functions', () => {
    expect([...OPERATIONS.keys()].toSorted()).toEqual(
      ['submit', 'readSubmissionStatus', 'validateTaxpayerTin', 'cancel', 'live', 'ready'].toSorted(),
    );
  });

  it('says that a key is a text in a header or a bearer token, and of no token that it is a JWT', () => {
    expect(API.components.securitySchemes).toEqual({
      'X-API-Key': expect.objectContaining({ type: 'apiKey', in: 'header', name: 'X-API-Key' }),
      Bearer: { type: 'http', scheme: 'bearer', description: expect.any(String) },
    });
    for (const operation of operations) expect(operation.security, operation.operationId).toBeDefined();
  });

  it('tells of each error apart from the others by a constant code', () => {
    const errors = operations.flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400)
        .map(([status, { content }]) => ({
          name: `${operationId} ${status}`,
          schema: content?.['application/json'].schema,
        })),
    );
    expect(errors.length).toBeGreaterThan(40);
    for (const { name, schema: { oneOf = [], discriminator } = {} } of errors) {
      const codes = oneOf.map((one) => [resolve(one).properties?.['code'].const, one.$ref]);
      expect(discriminator, name).toEqual({ propertyName: 'code', mapping: Object.fromEntries(codes) });
      expect(codes.length, name).toBeGreaterThan(0);
      for (const one of oneOf)
        expect(resolve(one).required, name).toEqual(
          expect.arrayContaining(['message', 'code', 'requestId', 'helpUrl']),
        );
    }
  });

  it('lists all codes once, in an enum that clients are told to treat as open', () => {
    expect(SCHEMAS.ErrorCode.enum).toEqual(Object.keys(ERROR_CODES));
    expect(SCHEMAS.ErrorCode.description).toContain('Open');
    expect(SCHEMAS.ErrorDto.properties?.['code'].$ref).toBe('#/components/schemas/ErrorCode');
  });

  it('has every list of values once, as a schema with a name', () => {
    const text = JSON.stringify(API, (name, value: unknown) =>
      ['examples', 'example'].includes(name) ? undefined : value,
    );
    const lists = [...text.matchAll(/"enum":(\[[^\]]*\])/g)].map(([, list]) => list);
    const named = Object.values(SCHEMAS).flatMap((schema) =>
      schema.enum === undefined ? [] : [JSON.stringify(schema.enum)],
    );
    expect(named.length).toBeGreaterThan(10);
    expect(lists.toSorted()).toEqual([...new Set(named)].toSorted());
  });

  it('lets null in wherever it says so in words, and nowhere else', () => {
    const saysNull = (text = ''): boolean => /\bnull\b/i.test(text);
    const wrong = fields.filter(({ field }) => isNullable(field) !== saysNull(field.description));
    expect(listNames(wrong)).toEqual([]);
  });

  it('tells the response of a dry run from that of a submit, and asks for no key of it', () => {
    const { parameters, responses } = OPERATIONS.get('submit') ?? {};
    const key = parameters?.find(({ name }) => name === 'idempotency-key');
    expect(key).toMatchObject({ description: expect.stringMatching(/^Required unless `dryRun=true`/) });
    expect(key?.required).not.toBe(true);
    const kinds = responses?.['200'].content?.['application/json'].schema.oneOf?.map(resolve) ?? [];
    expect(kinds.map(({ properties }) => properties?.['dryRun'].const)).toEqual([false, true]);
    expect(kinds[1].required).toContain('dryRun');
  });

  it('states decimals and limit of every amount of a request in words and as bounds', () => {
    const amounts = fields.filter(({ schema, field }) => REQUESTS.test(schema) && field.type === 'number');
    expect(amounts.length).toBeGreaterThan(8);
    for (const { name, field } of amounts) {
      expect(field.description, name).toMatch(
        / (?:At most [25] decimals(?: and 15 significant digits)?|Any number of decimals), below 10,000,000,000,000\.(?: Also taken as `\w+`\.)?$/,
      );
      expect(field.exclusiveMaximum, name).toBe(1e13);
    }
  });
});
