import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './simulator.js';
import { TestClient, control, parseError, supplierTin } from './testing/test-client.js';

describe('taxpayer API', () => {
  let simulator: Simulator;
  let client: TestClient;
  beforeAll(async () => {
    simulator = await startSimulator();
  });
  beforeEach(async () => {
    await control(simulator.url, 'reset');
    client = await TestClient.login(simulator.url);
  });
  afterAll(() => simulator.close());

  const checkTin = (tin: string, query: string) => client.call(`taxpayer/validate/${tin}?${query}`);
  const searchTin = (query: string) => client.call(`taxpayer/search/tin?${query}`);
  const qrCode = (text: string) => client.call(`taxpayers/qrcodeinfo/${text}`);
  const foundTin = async (query: string) => ((await searchTin(query)).json() as { tin: string }).tin;

  describe('TIN check', () => {
    it.each([
      ['any well-formed pair', 'C1234567890', 'idType=BRN&idValue=201901234567', 200],
      ['an id that ends with 404', 'C1234567890', 'idType=BRN&idValue=201901234404', 404],
      ['an id that ends with 400', 'C1234567890', 'idType=BRN&idValue=201901234400', 400],
      ['an id that ends with 500', 'C1234567890', 'idType=BRN&idValue=201901234500', 500],
      ['an id that ends with 300', 'C1234567890', 'idType=BRN&idValue=201901234300', 200],
      ['a BRN of another registrar', 'C1234567890', 'idType=BRN&idValue=PPM-1%2F2001.%20K', 200],
      ['a BRN of 21 characters', 'C1234567890', `idType=BRN&idValue=${'9'.repeat(21)}`, 400],
      ['an NRIC with a slash', 'C1234567890', 'idType=NRIC&idValue=770625%2F015324', 400],
      ['a malformed TIN', 'X1', 'idType=BRN&idValue=201901234567', 400],
      ['an unknown id type', 'C1234567890', 'idType=DRIVER&idValue=201901234567', 400],
      ['no id value', 'C1234567890', 'idType=BRN', 400],
    ])('responds to %s with its documented status', async (_title, tin, query, status) => {
      expect((await checkTin(tin, query)).status).toBe(status);
    });

    it('responds to a valid pair with an empty body', async () => {
      expect((await checkTin('C1234567890', 'idType=BRN&idValue=201901234567')).text).toBe('');
    });
  });

  describe('TIN search', () => {
    it.each([
      ['a BRN', 'idType=BRN&idValue=201901234567', /^C[1-9]\d{8}0$/],
      ['the BRN of a sole proprietor', 'idType=BRN&idValue=201901234567&fileType=1', /^IG\d{9}$/],
      ['an NRIC', 'idType=NRIC&idValue=770625015324', /^IG\d{9}$/],
      ['a passport', 'idType=PASSPORT&idValue=A12345678&fileType=1', /^IG\d{9}$/],
      ['a name', 'taxpayerName=ABC%20XYZ', /^C[1-9]\d{8}0$/],
    ])('returns a TIN for %s that passes a TIN check', async (_title, query, form) => {
      const tin = await foundTin(query);
      expect(tin).toMatch(form);
      expect((await checkTin(tin, 'idType=BRN&idValue=201901234567')).status).toBe(200);
    });

    it('returns the same TIN for the same taxpayer', async () => {
      const tin = await foundTin('idType=BRN&idValue=201901234567');
      expect(await foundTin('idType=BRN&idValue=201901234567&fileType=2&taxpayerName=ABC')).toBe(tin);
      expect(await foundTin('idType=BRN&idValue=201901234568')).not.toBe(tin);
      expect(await foundTin('taxpayerName=Abc')).toBe(await foundTin('taxpayerName=ABC'));
      expect(await foundTin('taxpayerName=ABD')).not.toBe(await foundTin('taxpayerName=ABC'));
    });

    it.each([
      ['an id that ends with 404', 'idType=BRN&idValue=201901234404', 404, 'NotFound'],
      ['a name that ends with 404', 'idType=BRN&idValue=201901234567&taxpayerName=ABC404', 404, 'NotFound'],
      ['an NRIC of a non-individual', 'idType=NRIC&idValue=770625015324&fileType=2', 404, 'NotFound'],
      ['an id that ends with 300', 'idType=BRN&idValue=201901234300', 400, 'BadRequest'],
      ['a name that ends with 300', 'taxpayerName=ABC300', 400, 'BadRequest'],
      ['an id that ends with 400', 'idType=BRN&idValue=201901234400', 400, 'BadArgument'],
      ['an id that ends with 500', 'idType=BRN&idValue=201901234500', 500, 'InternalServerError'],
      ['a search without criteria', '', 400, 'BadArgument'],
      ['a blank name', 'taxpayerName=%20', 400, 'BadArgument'],
      ['an id without its type', 'idValue=201901234567', 400, 'BadArgument'],
      ['a name with an id type but no id', 'taxpayerName=ABC&idType=BRN', 400, 'BadArgument'],
      ['an unknown id type', 'idType=DRIVER&idValue=201901234567', 400, 'BadArgument'],
      ['an unknown file type', 'idType=BRN&idValue=201901234567&fileType=3', 400, 'BadArgument'],
      ['a file type without an id', 'taxpayerName=ABC&fileType=2', 400, 'BadArgument'],
    ])('responds to %s with an error', async (_title, query, status, code) => {
      const response = await searchTin(query);
      expect([response.status, parseError(response).code]).toEqual([status, code]);
    });

    it("uses the authority's message if several TINs match", async () => {
      expect(parseError(await searchTin('taxpayerName=ABC300')).message).toMatch(
        /^Search criteria in not conclusive and more than one TIN can be found/,
      );
    });
  });

  describe('QR code', () => {
    const guid = '4e1bc907-25b7-45b1-9620-2d671a6f9cae';

    it('returns a taxpayer whose TIN matches that of a TIN search', async () => {
      const taxpayer = (await qrCode(guid)).json() as Record<string, string>;
      expect(Object.keys(taxpayer).join(' ')).toBe(
        'tin name idType idNumber sst email contactNumber ttx businessActivityDescriptionBM ' +
          'businessActivityDescriptionEN msic addressLine0 addressLine1 addressLine2 postalZone city state country ' +
          'generatedTimestamp',
      );
      expect(await foundTin(`idType=BRN&idValue=${taxpayer.idNumber}`)).toBe(taxpayer.tin);
      expect((await qrCode(guid.toUpperCase())).json()).toEqual(taxpayer);
      expect((await qrCode(guid.replace('4e', '4f'))).json()).not.toMatchObject({ tin: taxpayer.tin });
    });

    it.each([
      ['an unknown code', guid.replace(/...$/, '404'), 404, 'NotFound'],
      ['a code that is still encoded', Buffer.from(guid).toString('base64'), 404, 'NotFound'],
      ['a malformed code', guid.replace(/...$/, '400'), 400, 'BadArgument'],
      ['a failing register', guid.replace(/...$/, '500'), 500, 'InternalServerError'],
    ])('responds to %s with an error', async (_title, text, status, code) => {
      const response = await qrCode(text);
      expect([response.status, parseError(response).code]).toEqual([status, code]);
    });
  });

  it('rejects an intermediary without an appointment', async () => {
    await control(simulator.url, 'taxpayers', { tin: supplierTin, appointed: false });
    const responses = [
      await checkTin('C1234567890', 'idType=BRN&idValue=201901234567'),
      await searchTin('taxpayerName=ABC'),
      await qrCode('4e1bc907-25b7-45b1-9620-2d671a6f9cae'),
    ];
    expect(responses.map((response) => [response.status, parseError(response).code])).toEqual(
      Array.from(responses, () => [403, 'Forbidden']),
    );
  });
});
