import { describe, expect, it } from 'vitest';
import type { Response } from '../client.js';
import { invoice, recipient } from '../documents.js';
import { accept, client, expectRefused, freeOfCharge, hasNoSimulator, number, settings } from '../suite.js';

const GET = 'GET /v1/einvoice/validate-taxpayer-tin/{tin}';

function check(tin: string, query: Record<string, string> = {}): Promise<Response> {
  const words = new URLSearchParams(query).toString();
  return client.call({ path: `/v1/einvoice/validate-taxpayer-tin/${encodeURIComponent(tin)}${words && `?${words}`}` });
}

/** Returns a ten-digit TIN that earlier runs have not checked, so that no cached verdict exists. */
const fresh = (what: number): string =>
  `C2${String(BigInt(`0x${settings.run.slice(2)}`) % 10n ** 7n).padStart(7, '0')}${what}0`;
const BRN = { idType: 'BRN', idValue: '202001234567' };

describe(GET, () => {
  it.each(['12345', 'C1', 'C-9876543210', 'X'])('reports the TIN %s as malformed even without an id', async (tin) => {
    expect(await check(tin)).toMatchObject({ status: 200, body: { valid: false, reason: 'malformed' } });
  });

  it.each(['EI00000000010', 'EI00000000020', 'EI00000000030', 'EI00000000040'])(
    'reports the general TIN %s as valid',
    async (tin) => {
      expect(await check(tin)).toMatchObject({ status: 200, body: { tin, valid: true, reason: 'general' } });
    },
  );

  it('requires an id if no document to the TIN exists', async () => {
    const { message } = expectRefused(await check(fresh(0)), 400, 'taxpayer_id_required');
    expect(message).toContain('idType');
    expect(message).toContain('idValue');
  });

  it('rejects idType without idValue', async () => {
    expectRefused(await check('C9876543210', { idType: 'BRN' }), 400, 'validation_failed');
  });

  it('rejects idValue without idType', async () => {
    expectRefused(await check('C9876543210', { idValue: '1' }), 400, 'validation_failed');
  });

  it('rejects an unknown idType', async () => {
    expectRefused(await check('C9876543210', { idType: 'VISA', idValue: '1' }), 400, 'validation_failed');
  });

  it('charges nothing', () => freeOfCharge(() => check('EI00000000010')));
});

describe.skipIf(hasNoSimulator)(`${GET} (simulator only)`, () => {
  it('reports a valid TIN with the time of the check', async () => {
    const { status, body } = await check(fresh(1), BRN);
    expect(status).toBe(200);
    expect(body).toMatchObject({ tin: fresh(1), valid: true, reason: null, cached: false });
    expect(Date.parse(String(body.checkedAt))).toBeGreaterThan(0);
  });

  it('caches a verdict', async () => {
    await check(fresh(2), BRN);
    expect((await check(fresh(2), BRN)).body).toMatchObject({ valid: true, cached: true });
  });

  it('reports not_found if the authority has no such TIN with this id', async () => {
    const { status, body } = await check(fresh(3), { idType: 'BRN', idValue: '202001230404' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ valid: false, reason: 'not_found' });
  });

  it('reports not_found if the authority rejects the TIN as malformed', async () => {
    const { status, body } = await check(fresh(4), { idType: 'BRN', idValue: '202001230400' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ valid: false, reason: 'not_found' });
  });

  it('returns 503 with Retry-After if the authority fails', async () => {
    const response = await check(fresh(5), { idType: 'BRN', idValue: '202001230500' });
    expectRefused(response, 503, 'authority_unavailable');
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(response.body).not.toHaveProperty('valid');
  });

  it('uses the id of the latest document to the TIN', async () => {
    const tin = fresh(6);
    await accept([invoice(number(), { recipient: { ...recipient, tin } })]);
    expect(await check(tin)).toMatchObject({ status: 200, body: { tin, valid: true } });
  });

  it('accepts a TIN in lower case', async () => {
    expect((await check(fresh(1).toLowerCase(), BRN)).body).toMatchObject({ tin: fresh(1), valid: true });
  });
});
