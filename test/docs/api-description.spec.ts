import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/errors/explanation.js';
import { listErrors, listErrorStatuses } from '../../src/errors/operation-errors.js';
import { type Described, listExamples, OPERATIONS, SCHEMAS, findViolations } from './api-description.js';

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
const fields = Object.entries(SCHEMAS).flatMap(([schema, { properties = {} }]) =>
  Object.entries(properties).map(([name, field]) => ({ name: `${schema}.${name}`, schema, field })),
);
const listNames = (found: readonly { name: string }[]): string[] => found.map(({ name }) => name);

/** Without a text that says something, or without an example. */
const isBare = ({ description, schema }: Described): boolean => isTextless(description) || schema.example === undefined;
const isTextless = (text = ''): boolean => text.trim().length < 5;

describe('every field of every request and answer', () => {
  it('has a description and an example', () => {
    expect(fields.length).toBeGreaterThan(150);
    expect(listNames(fields.filter(({ field }) => isBare({ description: field.description, schema: field })))).toEqual(
      [],
    );
  });

  it('has an example that keeps to its own type and limits', () => {
    expect(fields.flatMap(({ name, field }) => findViolations(field.example, field, name))).toEqual([]);
  });

  it('of a request says how much it takes', () => {
    const sent = fields.filter(({ schema }) => REQUESTS.test(schema));
    expect(sent.length).toBeGreaterThan(40);
    const isUnlimited = ({ field }: (typeof fields)[number]): boolean => {
      if (field.type === 'string') return field.maxLength === undefined && field.enum === undefined;
      if (field.type === 'number') return field.minimum === undefined || field.maximum === undefined;
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
    expect(parameters.flatMap(({ name, schema }) => findViolations(schema.example, schema, name))).toEqual([]);
    const headers = answers.flatMap(([status, { headers = {} }]) =>
      Object.entries(headers).map(([name, header]) => ({ ...header, name: `${status} ${name}` })),
    );
    expect(listNames(headers.filter(isBare))).toEqual([]);
    expect(headers.flatMap(({ name, schema }) => findViolations(schema.example, schema, name))).toEqual([]);
  });

  it('has every error answer that the catalogue gives it, with an example of every code', () => {
    const codes = CODES_OF[operationId];
    const isPublic = operation.security === undefined;
    const statuses = new Set([...listErrorStatuses(codes), 429, 500, 503, ...(isPublic ? [] : [401])]);
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
      const isKeyKnown = operation.security !== undefined && status !== '401';
      expect('X-Environment' in headers, status).toBe(isKeyKnown);
    }
  });
});
