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

describe('a response, by the description', () => {
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

  it('that is as described has no violation', () => {
    expect(violations({ id: ID, note: null, amount: 9.99 }, { headers: { 'x-kind': 'a' } })).toEqual([]);
  });

  it.each<[title: string, found: () => string[], expected: string]>([
    ['with a status that is not described', () => violations({ id: ID }, { status: 500 }), 'the status 500'],
    ['without a required member', () => violations({}), "required property 'id'"],
    ['with a member of another type', () => violations({ id: ID, note: 5 }), '/note'],
    ['with a member of another format', () => violations({ id: 'x' }), '/id must match format'],
    ['with a number at an open limit', () => violations({ id: ID, amount: 10 }), '/amount'],
    ['that is not JSON', () => violations('<html>'), 'not JSON'],
    ['of another media type', () => violations({ id: ID }, { headers: { 'content-type': 'text/html' } }), 'text/html'],
    ['with a body where none is described', () => violations({ id: ID }, { status: 204 }), 'none is described'],
    ['with a header of another type', () => violations({ id: ID }, { headers: { 'x-count': 'many' } }), 'X-Count'],
    ['with a header that is not in its list', () => violations({ id: ID }, { headers: { 'x-kind': 'c' } }), 'X-Kind'],
  ])('%s has one', (_, found, expected) => {
    expect(found().join('\n')).toContain(expected);
  });

  it('without a required header has one', () => {
    const received = { status: 204, headers: new Headers(), text: '' };
    expect(description.findViolations(operation, received)).toEqual([]);
    expect(description.findViolations(operation, { ...received, status: 200, text: '{}' }).join('\n')).toContain(
      'X-Count is missing',
    );
  });

  it('is of the path of the first server', () => {
    const document = { openapi: '3.1.0', paths: {} };
    expect(new Description(document).basePath).toBe('');
    expect(new Description({ ...document, servers: [{ url: '/api' }] }).basePath).toBe('/api');
    expect(new Description({ ...document, servers: [{ url: 'https://x.example/e/api/' }] }).basePath).toBe('/e/api');
  });

  it('is found by its path, whatever stands before it, and with a slash at the end', () => {
    expect(description.find('GET', '/gateway/v1/things/7')).toBe(operation);
    expect(description.find('GET', '/v1/things/7/')).toBe(operation);
    expect(description.find('GET', '/v1/things/7/parts')).toBeNull();
    expect(description.find('POST', '/v1/things/7')).toBeNull();
  });
});
