import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './simulator.js';
import { creditNoteFor, exampleEntry, newNumber } from './testing/example-documents.js';
import { TestClient, control, parseError } from './testing/test-client.js';

const hour = 3600;
const buyerTin = 'C9876543210';

describe('document state API', () => {
  let simulator: Simulator;
  let client: TestClient;
  beforeAll(async () => {
    // The token must outlive the 72 hours that these tests add to the clock.
    simulator = await startSimulator({ settings: { tokenSeconds: 100 * hour } });
  });
  beforeEach(async () => {
    await control(simulator.url, 'reset');
    client = await TestClient.login(simulator.url);
  });
  afterAll(() => simulator.close());

  const advance = (advanceSeconds: number) => control(simulator.url, 'clock', { advanceSeconds });

  async function validInvoice(number = newNumber()): Promise<string> {
    const uuid = await client.accept(exampleEntry({ number }));
    await advance(2);
    return uuid;
  }

  it('cancels a valid document with a reason', async () => {
    const uuid = await validInvoice();
    const response = await client.changeState(uuid, 'cancelled', 'Wrong amount');
    expect(response.status).toBe(200);
    expect(response.json()).toEqual({ uuid, status: 'Cancelled' });
    expect(await client.details(uuid)).toMatchObject({ status: 'Cancelled', documentStatusReason: 'Wrong amount' });
  });

  it('rejects the cancellation of a submitted, invalid or cancelled document', async () => {
    const submitted = await client.accept(exampleEntry({ number: 'SIM-STUCK-1' }));
    const invalid = await client.accept(exampleEntry({ number: 'SIM-INVALID-CV302-1' }));
    const cancelled = await validInvoice();
    await client.changeState(cancelled, 'cancelled');
    for (const uuid of [submitted, invalid, cancelled]) {
      const response = await client.changeState(uuid, 'cancelled');
      expect([response.status, parseError(response).code]).toEqual([400, 'IncorrectState']);
    }
  });

  it('allows a cancellation only within 72 hours of validation', async () => {
    const early = await validInvoice();
    const late = await validInvoice();
    await advance(72 * hour - 10);
    expect((await client.changeState(early, 'cancelled')).status).toBe(200);
    await advance(20);
    const response = await client.changeState(late, 'cancelled');
    expect([response.status, parseError(response).details?.[0]?.code]).toEqual([400, 'OperationPeriodOver']);
  });

  it('rejects a rejection request for an invoice with an active note', async () => {
    const number = newNumber();
    const invoice = await validInvoice(number);
    const note = await client.accept(creditNoteFor(invoice, { parentNumber: number }));
    const buyer = await TestClient.login(simulator.url, buyerTin);
    const response = await buyer.changeState(invoice, 'rejected');
    expect([response.status, parseError(response).code]).toEqual([400, 'ActiveReferencingDocuments']);
    await advance(2);
    expect((await control(simulator.url, 'portal', { uuid: invoice, action: 'reject' })).text).toContain(
      'ActiveReferencingDocuments',
    );
    await client.changeState(note, 'cancelled');
    expect((await buyer.changeState(invoice, 'rejected')).status).toBe(200);
  });

  it('counts an emoji in a cancellation reason as one character', async () => {
    const [accepted, refused] = [await validInvoice(), await validInvoice()];
    expect((await client.changeState(accepted, 'cancelled', '😀'.repeat(300))).status).toBe(200);
    expect((await client.changeState(refused, 'cancelled', '😀'.repeat(301))).status).toBe(400);
  });

  it('accepts a rejection reason of any length', async () => {
    const uuid = await validInvoice();
    const buyer = await TestClient.login(simulator.url, buyerTin);
    expect((await buyer.changeState(uuid, 'rejected', 'x'.repeat(301))).status).toBe(200);
  });

  it('rejects the cancellation of an invoice with an active note', async () => {
    const number = newNumber();
    const invoice = await validInvoice(number);
    const note = await client.accept(creditNoteFor(invoice, { parentNumber: number }));
    expect(parseError(await client.changeState(invoice, 'cancelled')).code).toBe('ActiveReferencingDocuments');
    await advance(2);
    expect(parseError(await client.changeState(invoice, 'cancelled')).code).toBe('ActiveReferencingDocuments');
    await client.changeState(note, 'cancelled');
    expect((await client.changeState(invoice, 'cancelled')).status).toBe(200);
  });

  it.each([
    ['no reason', 'cancelled', ''],
    ['a reason of 301 characters', 'cancelled', 'x'.repeat(301)],
    ['a rejection without a reason', 'rejected', ' '],
    ['another status', 'valid', 'reason'],
  ])('rejects a request with %s', async (_title, status, reason) => {
    const uuid = await validInvoice();
    const response = await client.changeState(uuid, status, reason);
    expect([response.status, parseError(response).code]).toEqual([400, 'BadArgument']);
    expect(await client.readStatus(uuid)).toBe('Valid');
  });

  it('allows only the issuer to cancel and only the buyer to request rejection', async () => {
    const uuid = await validInvoice();
    const buyer = await TestClient.login(simulator.url, buyerTin);
    const responses = [await buyer.changeState(uuid, 'cancelled'), await client.changeState(uuid, 'rejected')];
    for (const response of responses) {
      expect(response.status).toBe(403);
      expect(parseError(response)).toMatchObject({ code: 'AccessDenied', details: [{ code: 'Forbidden' }] });
    }
    expect(await client.readStatus(uuid)).toBe('Valid');
  });

  it('keeps a document valid after a rejection request', async () => {
    const uuid = await validInvoice();
    const buyer = await TestClient.login(simulator.url, buyerTin);
    const response = await buyer.changeState(uuid, 'rejected', 'Not ours');
    expect(response.json()).toEqual({ uuid, status: 'Requested for Rejection' });
    const details = await client.details(uuid);
    expect(details).toMatchObject({ status: 'Valid', documentStatusReason: 'Not ours' });
    expect(details.rejectRequestDateTime).not.toBeNull();
    expect(parseError(await buyer.changeState(uuid, 'rejected')).code).toBe('IncorrectState');
  });

  it('applies changes made in the portal', async () => {
    const uuid = await validInvoice();
    await control(simulator.url, 'portal', { uuid, action: 'reject' });
    expect((await client.details(uuid)).rejectRequestDateTime).not.toBeNull();
    await control(simulator.url, 'portal', { uuid, action: 'cancel' });
    expect(await client.readStatus(uuid)).toBe('Cancelled');
    expect((await control(simulator.url, 'portal', { uuid, action: 'cancel' })).text).toContain('IncorrectState');
  });
});
