import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './simulator.js';
import { exampleEntry } from './testing/example-documents.js';
import { TestClient, control, parseError, requestToken, send, supplierTin } from './testing/test-client.js';

describe('login', () => {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await startSimulator();
  });
  beforeEach(() => control(simulator.url, 'reset'));
  afterAll(() => simulator.close());

  it.each([
    supplierTin,
    'IG12345678912:201901234567',
    'IG12345678912:PPM:001/10 (A.B)-1',
    `IG12345678912:${'9'.repeat(20)}`,
  ])('returns a token for one hour on behalf of %s', async (taxpayer) => {
    const response = await requestToken(simulator.url, taxpayer);
    expect(response.status).toBe(200);
    expect(response.json()).toMatchObject({ expires_in: 3600, token_type: 'Bearer', scope: 'InvoicingAPI' });
  });

  it('returns a token with string claims, like captured tokens', async () => {
    const { access_token: token } = (await requestToken(simulator.url)).json() as { access_token: string };
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as object;
    expect(claims).toMatchObject({
      TaxpayerTIN: supplierTin,
      IsIntermediary: '1',
      IntermedTIN: 'C58476302900',
      client_id: 'client',
      name: `${supplierTin}:client`,
      scope: ['InvoicingAPI'],
    });
  });

  it.each([
    ['an empty client id', { client_id: '' }, supplierTin, 'invalid_client'],
    ['an empty secret', { client_secret: '' }, supplierTin, 'invalid_client'],
    ['an unsupported grant type', { grant_type: 'password' }, supplierTin, 'unsupported_grant_type'],
    ['an unknown scope', { scope: 'Everything' }, supplierTin, 'invalid_scope'],
    ['no taxpayer', {}, '', 'invalid_request'],
    ['a malformed TIN', {}, 'X1', 'invalid_request'],
    ['a BRN of 21 characters', {}, `IG12345678912:${'9'.repeat(21)}`, 'invalid_request'],
    ['an empty BRN', {}, 'IG12345678912:', 'invalid_request'],
    ['a BRN with a control character', {}, 'IG12345678912:12\u008534', 'invalid_request'],
  ])('rejects %s with an OAuth error', async (_title, form, taxpayer, code) => {
    const response = await requestToken(simulator.url, taxpayer, form);
    expect(response.status).toBe(400);
    expect(response.json()).toMatchObject({ error: code, error_uri: null });
  });

  it('accepts only the configured client', async () => {
    await control(simulator.url, 'settings', { clientId: 'client', clientSecret: 'right' });
    expect((await requestToken(simulator.url)).json()).toMatchObject({ error: 'invalid_client' });
    expect((await requestToken(simulator.url, supplierTin, { client_secret: 'right' })).status).toBe(200);
  });

  it('accepts both configured secrets to allow their rotation', async () => {
    const statuses = async (...secrets: string[]) => {
      const responses = secrets.map((secret) => requestToken(simulator.url, supplierTin, { client_secret: secret }));
      return (await Promise.all(responses)).map(({ status }) => status);
    };
    await control(simulator.url, 'settings', { clientSecret: 'first', secondClientSecret: 'second' });
    expect(await statuses('first', 'second', 'third', '')).toEqual([200, 200, 400, 400]);
    await control(simulator.url, 'settings', { clientSecret: 'third' });
    expect(await statuses('first', 'second', 'third')).toEqual([400, 200, 200]);
    await control(simulator.url, 'settings', { secondClientSecret: null });
    expect(await statuses('second', 'third', '')).toEqual([400, 200, 400]);
  });

  it('returns a token that every other call requires', async () => {
    const client = await TestClient.login(simulator.url);
    const path = 'documents/unknown/details';
    expect((await send(`${simulator.url}/api/v1.0/${path}`)).status).toBe(401);
    expect((await new TestClient(simulator.url, 'unknown').call(path)).status).toBe(401);
    await control(simulator.url, 'clock', { advanceSeconds: 3599 });
    expect((await client.call(path)).status).toBe(404);
    await control(simulator.url, 'clock', { advanceSeconds: 2 });
    expect((await client.call(path)).status).toBe(401);
  });

  it('fails after the taxpayer has withdrawn the appointment', async () => {
    const client = await TestClient.login(simulator.url);
    await control(simulator.url, 'taxpayers', { tin: supplierTin, appointed: false });
    expect((await requestToken(simulator.url)).json()).toMatchObject({ error: 'invalid_grant' });
    const refused = await client.submit(exampleEntry());
    expect(refused.status).toBe(403);
    expect(parseError(refused).code).toBe('IncorrectSubmitter');
    await control(simulator.url, 'taxpayers', { tin: supplierTin, appointed: true });
    expect((await client.submit(exampleEntry())).status).toBe(202);
  });
});
