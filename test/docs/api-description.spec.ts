import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/errors/error-codes.js';
import type { Operation } from '../../src/errors/explanation.js';
import { listErrors, listErrorStatuses } from '../../src/errors/api-errors.decorator.js';
import {
  API,
  type Described,
  findViolations,
  isNullable,
  listExamples,
  OPERATIONS,
  readExample,
  resolve,
  type Schema,
  SCHEMAS,
} from './api-description.js';

// Checks that openapi.json is complete for client developers.

const CODES_OF: Readonly<Record<string, Operation>> = {
  submit: 'submit',
  submitDryRun: 'dryRun',
  readSubmissionStatus: 'status',
  validateTaxpayerTin: 'taxpayer',
  cancel: 'cancel',
  live: 'live',
  ready: 'ready',
};
const REQUESTS =
  /^(?:(?:NonConsolidated|Consolidated)Submit|(?:Consolidated)?Document|Recipient|LineItem|RelatedInvoice|Cancel)Dto$/;

const operations = [...OPERATIONS.values()];
const fields = Object.entries(SCHEMAS).flatMap(([schema, described]) =>
  Object.entries(resolve(described).properties ?? {}).map(([name, field]) => ({
    name: `${schema}.${name}`,
    schema,
    field,
  })),
);
const nameType = ({ type }: Schema): string | undefined => [type].flat().find((one) => one !== 'null');
/** Returns the schema and all its inline schemas. */
const listSchemas = (schema: Schema): Schema[] => [
  schema,
  ...[
    ...Object.values(schema.properties ?? {}),
    ...(schema.allOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.items === undefined ? [] : [schema.items]),
  ].flatMap(listSchemas),
];
const listNames = (found: readonly { name: string }[]): string[] => found.map(({ name }) => name);

/** Returns whether a field lacks a meaningful description or an example. */
const isBare = ({ description, schema }: Described): boolean =>
  isTextless(description) || readExample(schema) === undefined;
const isTextless = (text = ''): boolean => text.trim().length < 5;

describe('every field in the API description', () => {
  it('has a description and an example', () => {
    expect(fields.length).toBeGreaterThan(150);
    expect(listNames(fields.filter(({ field }) => isBare({ description: field.description, schema: field })))).toEqual(
      [],
    );
  });

  it('has an example that matches its type and limits', () => {
    expect(fields.flatMap(({ name, field }) => findViolations(readExample(field), field, name))).toEqual([]);
  });

  it('has documented limits in requests', () => {
    const sent = fields.filter(({ schema }) => REQUESTS.test(schema));
    expect(sent.length).toBeGreaterThan(40);
    const isUnlimited = ({ field: described }: (typeof fields)[number]): boolean => {
      const field = resolve(described);
      const type = nameType(field);
      if (type === 'string') return [field.maxLength, field.enum, field.const].every((limit) => limit === undefined);
      if (type === 'number') {
        return [field.minimum ?? field.exclusiveMinimum, field.maximum ?? field.exclusiveMaximum].includes(undefined);
      }
      return type === 'array' && field.maxItems === undefined;
    };
    expect(listNames(sent.filter(isUnlimited))).toEqual([]);
  });

  it('has a documented format in responses if it is an id or a timestamp', () => {
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

  it('describes every parameter and header with a valid example', () => {
    expect(listNames(parameters.filter(isBare))).toEqual([]);
    expect(parameters.flatMap(({ name, schema }) => findViolations(readExample(schema), schema, name))).toEqual([]);
    const headers = answers.flatMap(([status, { headers = {} }]) =>
      Object.entries(headers).map(([name, header]) => ({ ...header, name: `${status} ${name}` })),
    );
    expect(listNames(headers.filter(isBare))).toEqual([]);
    expect(headers.flatMap(({ name, schema }) => findViolations(readExample(schema), schema, name))).toEqual([]);
  });

  it('documents every error code in the catalogue with an example', () => {
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

  it('has a valid example for every response body', () => {
    for (const [status, { content }] of answers.filter(([status]) => status !== '304')) {
      const body = content?.['application/json'];
      if (body === undefined) throw new Error(`${operationId} ${status} has no body`);
      const examples = listExamples(body);
      expect(examples, status).not.toEqual([]);
      for (const [name, value] of examples) expect(findViolations(value, body.schema), `${status} ${name}`).toEqual([]);
    }
  });

  it('documents the headers for the request id and the environment', () => {
    for (const [status, { headers = {} }] of answers) {
      expect(Object.keys(headers), status).toContain('X-Request-Id');
      const isKeyKnown = operation.security?.length !== 0 && !['401', '414', '431'].includes(status);
      expect('X-Environment' in headers, status).toBe(isKeyKnown);
    }
  });
});

describe('openapi.json', () => {
  it("combines base path and paths into the service's URLs", () => {
    expect(API.servers.map(({ url }) => url)).toEqual(['/api']);
    expect(Object.keys(API.paths).toSorted()).toEqual([
      '/health/live',
      '/health/ready',
      '/v1/einvoice/cancel',
      '/v1/einvoice/submit',
      '/v1/einvoice/submit/dry-run',
      '/v1/einvoice/validate-taxpayer-tin/{tin}',
      '/v1/saas/submissions/{submissionBatchId}/status',
    ]);
  });

  it('keeps the operationIds, which generators use as function names', () => {
    expect([...OPERATIONS.keys()].toSorted()).toEqual(
      ['submit', 'submitDryRun', 'readSubmissionStatus', 'validateTaxpayerTin', 'cancel', 'live', 'ready'].toSorted(),
    );
  });

  it('declares API keys as a header or an opaque bearer token', () => {
    expect(API.components.securitySchemes).toEqual({
      'X-API-Key': expect.objectContaining({ type: 'apiKey', in: 'header', name: 'X-API-Key' }),
      Bearer: { type: 'http', scheme: 'bearer', description: expect.any(String) },
    });
    for (const operation of operations) expect(operation.security, operation.operationId).toBeDefined();
  });

  it('distinguishes errors by a constant code', () => {
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

  it('lists all error codes in one open enum', () => {
    expect(SCHEMAS.ErrorCode.enum).toEqual(Object.keys(ERROR_CODES));
    expect(SCHEMAS.ErrorCode.description).toContain('Open');
    expect(SCHEMAS.ErrorDto.properties?.['code'].$ref).toBe('#/components/schemas/ErrorCode');
  });

  it('declares every enum once as a named schema', () => {
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

  it('allows null in a response field only if its description mentions null', () => {
    const saysNull = (text = ''): boolean => /\bnull\b/i.test(text);
    const received = fields.filter(({ schema }) => !REQUESTS.test(schema));
    expect(listNames(received.filter(({ field }) => isNullable(field) !== saysNull(field.description)))).toEqual([]);
  });

  it('allows null for every optional request field', () => {
    const sent = fields.filter(
      ({ schema, name }) => REQUESTS.test(schema) && !name.endsWith('ConsolidatedDocumentDto.recipient'),
    );
    const isRequired = ({ schema, name }: (typeof sent)[number]): boolean =>
      SCHEMAS[schema].required?.includes(name.replace(`${schema}.`, '')) === true;
    expect(listNames(sent.filter((one) => isNullable(one.field) === isRequired(one)))).toEqual([]);
  });

  it('shows only one spelling of every request field', () => {
    const spellings = ['submissionType', 'documentDate', 'entityType', 'document_id', 'cancellation_reason'];
    const shown = fields.filter(({ schema }) => REQUESTS.test(schema)).map(({ name }) => name.split('.')[1]);
    expect(shown.filter((name) => spellings.includes(name))).toEqual([]);
    for (const spelling of spellings) expect(JSON.stringify(SCHEMAS)).toContain(`as \`${spelling}\``);
  });

  it('describes submit and dry run as separate operations', () => {
    const [submit, dryRun] = ['submit', 'submitDryRun'].map((id) => OPERATIONS.get(id));
    const keyOf = (operation = submit) => operation?.parameters.find(({ name }) => name === 'idempotency-key');
    expect(keyOf(submit)?.required).toBe(true);
    expect(keyOf(dryRun)).toBeUndefined();
    const schemaOf = (operation = submit) => operation?.responses['200'].content?.['application/json'].schema;
    expect(schemaOf(submit)).toEqual({ $ref: '#/components/schemas/SubmitAcceptedDto' });
    expect(schemaOf(dryRun)).toEqual({ $ref: '#/components/schemas/SubmitDryRunDto' });
    expect(submit?.parameters.map(({ name }) => name)).not.toContain('dryRun');
    expect(submit?.description).toContain('?dryRun=true');
  });

  it('has a single named type per response', () => {
    const received = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ content }) => content?.['application/json'].schema ?? []),
    );
    const found = [
      ...received,
      ...Object.entries(SCHEMAS).flatMap(([name, schema]) => (REQUESTS.test(name) ? [] : schema)),
    ];
    const schemas = found.flatMap(listSchemas).filter((schema) => schema !== SCHEMAS.SubmitDto);
    expect(schemas.length).toBeGreaterThan(200);
    const kinds = ({ oneOf = [] }: Schema): number => oneOf.filter(({ type }) => type !== 'null').length;
    expect(schemas.filter((schema) => kinds(schema) > 1 && schema.discriminator === undefined)).toEqual([]);
    // Generators turn an object without properties into `Record<string, never>`.
    const isObject = ({ type }: Schema): boolean => [type].flat().includes('object');
    expect(schemas.filter((schema) => isObject(schema) && schema.properties === undefined)).toEqual([]);
  });

  it('documents decimals and limits of every request amount', () => {
    const amounts = fields.filter(({ schema, field }) => REQUESTS.test(schema) && nameType(field) === 'number');
    expect(amounts.length).toBeGreaterThan(8);
    for (const { name, field } of amounts) {
      expect(field.description, name).toMatch(
        / (?:At most [25] decimals(?: and 15 significant digits)?|Any number of decimals), (?:below 10,000,000,000,000|up to 100)\.(?: Also accepted as `\w+`\.)?$/,
      );
      expect([field.exclusiveMaximum, field.maximum], name).toContain(field.maximum === undefined ? 1e13 : 100);
    }
  });
});
