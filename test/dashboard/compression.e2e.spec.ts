import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createTenant } from '../support/client.js';
import { signUpInto } from '../support/dashboard.js';
import { startFileService } from '../support/file-service.js';

const description = JSON.parse(readFileSync('dashboard/openapi.json', 'utf8')) as { paths: Record<string, object> };
const service = await startFileService();

const ALL = 'gzip, deflate, br';

it('response compression applies only to same-origin requests', async () => {
  const { tenantId } = await createTenant(service);
  const browser = await signUpInto(service, tenantId, 'viewer');
  const read = async (headers: Record<string, string>): Promise<string | null> => {
    const path = `/organisations/${tenantId}/sandbox/overview?days=90`;
    const response = await browser.call('GET', path, undefined, { headers });
    expect([response.status, response.text.length > 10_000]).toEqual([200, true]);
    expect(response.headers.get('vary')).toBe('Accept-Encoding, Sec-Fetch-Site');
    return response.headers.get('content-encoding');
  };
  expect(await read({ 'Accept-Encoding': ALL, 'Sec-Fetch-Site': 'same-origin' })).toBe('br');
  expect(await read({ 'Accept-Encoding': 'gzip', 'Sec-Fetch-Site': 'same-origin' })).toBe('gzip');
  expect(await read({ 'Accept-Encoding': 'identity', 'Sec-Fetch-Site': 'same-origin' })).toBeNull();
  for (const site of ['same-site', 'cross-site', 'none', '']) {
    expect(await read({ 'Accept-Encoding': ALL, 'Sec-Fetch-Site': site }), site).toBeNull();
  }
});

// Session responses contain secrets. The other exceptions are already compressed.
const SENT_AS_THEY_ARE = [
  'session',
  'sessions',
  'document.pdf',
  'evidence.zip',
  'transactions-pdf.zip',
  'transactions-evidence.zip',
];

it('response compression covers all GET responses except secrets and compressed files', async () => {
  const { tenantId } = await createTenant(service);
  const browser = await signUpInto(service, tenantId, 'viewer');
  const names: Record<string, string> = { tenantId, environment: 'sandbox' };
  const reads = Object.entries(description.paths).filter(([, operations]) => 'get' in operations);
  const plain: string[] = [];
  for (const [path] of reads) {
    const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? randomUUID());
    const response = await browser.call('GET', address.replace('/api/dashboard', ''));
    if (!(response.headers.get('vary') ?? '').includes('Accept-Encoding'))
      plain.push(path.slice(path.lastIndexOf('/') + 1));
  }
  expect(reads.length).toBeGreaterThan(40);
  expect(plain.toSorted()).toEqual(SENT_AS_THEY_ARE.toSorted());
});

it('response compression works while a CSV file is streamed', async () => {
  const { tenantId } = await createTenant(service);
  const browser = await signUpInto(service, tenantId, 'viewer');
  const read = async (coding: string): Promise<[string | null, string]> => {
    const headers = { 'Accept-Encoding': coding, 'Sec-Fetch-Site': 'same-origin' };
    const { headers: answered, text } = await browser.call('GET', `/organisations/${tenantId}/members.csv`, undefined, {
      headers,
    });
    return [answered.get('content-encoding'), text];
  };
  const [coding, plain] = await read('identity');
  expect([coding, plain.includes(',viewer')]).toEqual([null, true]);
  expect(await read('br')).toEqual(['br', plain]);
  expect(await read('gzip')).toEqual(['gzip', plain]);
});

it.each(['/api/docs-json', '/api/docs-yaml', '/docs', '/docs/reference', '/docs/assets/site.js'])(
  '%s has the same content with every supported compression',
  async (path) => {
    const read = async (accepted: string): Promise<[string | null, string]> => {
      const response = await fetch(new URL(path, service.url), { headers: { 'Accept-Encoding': accepted } });
      expect(response.status).toBe(200);
      return [response.headers.get('content-encoding'), await response.text()];
    };
    const [plainCoding, plain] = await read('identity');
    expect(plainCoding).toBeNull();
    expect(await read(ALL)).toEqual(['br', plain]);
    expect(await read('gzip')).toEqual(['gzip', plain]);
  },
);
