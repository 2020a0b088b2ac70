import { expect, it } from 'vitest';
import { createTenant } from '../support/client.js';
import { signUpInto } from '../support/dashboard.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService();

const ALL = 'gzip, deflate, br';

it('what a page asks for is compressed, and the same for another site, another host or a program is not', async () => {
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

it.each(['/api/docs-json', '/api/docs-yaml', '/docs', '/docs/reference', '/docs/assets/site.js'])(
  '%s is compressed for every client that accepts it, with the same content',
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
