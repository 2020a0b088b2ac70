import { lookup } from 'node:dns/promises';
import { expect, it } from 'vitest';
import { isDatabaseUnavailable } from './database-unavailable.js';

it('isDatabaseUnavailable returns true for an unknown host name', async () => {
  const error: unknown = await lookup('no-such-host.invalid').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: expect.stringMatching(/^(?:ENOTFOUND|EAI_AGAIN)$/) as string });
  expect(isDatabaseUnavailable(error)).toBe(true);
});

it.each(['ENOTFOUND', 'EAI_AGAIN'])('isDatabaseUnavailable returns true for %s', (code) => {
  expect(isDatabaseUnavailable(Object.assign(new Error(`getaddrinfo ${code} postgres`), { code }))).toBe(true);
});

it('isDatabaseUnavailable returns false for a failed statement', () => {
  expect(isDatabaseUnavailable(Object.assign(new Error('permission denied'), { code: '42501' }))).toBe(false);
});
