import { describe, expect, it } from 'vitest';
import { Description } from './description.js';

function describeApi(): Description {
  const schema = {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'string', format: 'uuid' },
      note: { type: ['string', 'null'] },
      amount: { type: 'number', exclusiveMaximum: 10 },
    },
  };
  const ok = {
    headers: {
      'X-Count': { required: true, schema: { type: 'integer', minimum: 0 } },
      'X-Kind': { schema: { type: 'string', enum: ['a', 'b'] } },
    },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
  };
  return new Description({
    openapi: '3.1.0',
    paths: {
      '/v1/things/{id}': { get: { responses: { 200: ok, 204: { description: 'none' } } } },
    },
    components: { schemas: { Thing: schema } },
  });
}

const ID = '019a8b5e-7c1f-7000-8000-000000000001';

describe('OpenAPI description', () => {
  const description = describeApi();
  const [operation] = description.operations;

  function violations(
    body: object | string,
    { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
  ): string[] {
    const received = new Headers({ 'content-type': 'application/json; charset=utf-8', 'x-count': '1', ...headers });
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return description.findViolations(operation, { status, headers: received, text });
  }

  it('accepts a response that matches it', () => {
    expect(violations({ id: ID, note: null, amount: 9.99 }, { headers: { 'x-kind': 'a' } })).toEqual([]);
  });

  it.each<[title: string, found: () => string[], expected: string]>([
    ['with an undescribed status', () => violations({ id: ID }, { status: 500 }), 'the status 500'],
    ['without a required member', () => violations({}), "required property 'id'"],
    ['with a member of the wrong type', () => violations({ id: ID, note: 5 }), '/note'],
    ['with a member of the wrong format', () => violations({ id: 'x' }), '/id must match format'],
    ['with a number at an exclusive maximum', () => violations({ id: ID, amount: 10 }), '/amount'],
    ['that is not JSON', () => violations('<html>'), 'not JSON'],
    [
      'with an undescribed media type',
      () => violations({ id: ID }, { headers: { 'content-type': 'text/html' } }),
      'text/html',
    ],
    ['with an undescribed body', () => violations({ id: ID }, { status: 204 }), 'none is described'],
    ['with a header of the wrong type', () => violations({ id: ID }, { headers: { 'x-count': 'many' } }), 'X-Count'],
    ['with an undescribed header value', () => violations({ id: ID }, { headers: { 'x-kind': 'c' } }), 'X-Kind'],
  ])('rejects a response %s', (_, found, expected) => {
    expect(found().join('\n')).toContain(expected);
  });

  it('rejects a response without a required header', () => {
    const received = { status: 204, headers: new Headers(), text: '' };
    expect(description.findViolations(operation, received)).toEqual([]);
    expect(description.findViolations(operation, { ...received, status: 200, text: '{}' }).join('\n')).toContain(
      'X-Count is missing',
    );
  });

  it('takes its base path from the first server', () => {
    const document = { openapi: '3.1.0', paths: {} };
    expect(new Description(document).basePath).toBe('');
    expect(new Description({ ...document, servers: [{ url: '/api' }] }).basePath).toBe('/api');
    expect(new Description({ ...document, servers: [{ url: 'https://x.example/e/api/' }] }).basePath).toBe('/e/api');
  });

  it('finds an operation by path with any prefix and an optional trailing slash', () => {
    expect(description.find('GET', '/gateway/v1/things/7')).toBe(operation);
    expect(description.find('GET', '/v1/things/7/')).toBe(operation);
    expect(description.find('GET', '/v1/things/7/parts')).toBeNull();
    expect(description.find('POST', '/v1/things/7')).toBeNull();
  });
});
