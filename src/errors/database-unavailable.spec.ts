import { lookup } from 'node:dns/promises';
import { expect, it } from 'vitest';
import { isDatabaseUnavailable } from './database-unavailable.js';

it('takes a host whose name is not known, as that of a stopped container, for a database that is away', async () => {
  const error: unknown = await lookup('no-such-host.invalid').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: expect.stringMatching(/^(?:ENOTFOUND|EAI_AGAIN)$/) as string });
  expect(isDatabaseUnavailable(error)).toBe(true);
});

it.each(['ENOTFOUND', 'EAI_AGAIN'])('takes %s, which depends on the name server, for the same', (code) => {
  expect(isDatabaseUnavailable(Object.assign(new Error(`getaddrinfo ${code} postgres`), { code }))).toBe(true);
});

it('takes what the database says of a statement for none', () => {
  expect(isDatabaseUnavailable(Object.assign(new Error('permission denied'), { code: '42501' }))).toBe(false);
});
