import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './simulator.js';
import { exampleEntry } from './testing/example-documents.js';
import { TestClient, control, parseError } from './testing/test-client.js';

// A different issue time changes the payload, so that the 10-minute rule does not apply.
const earlier = Date.now() - 3_600_000;

describe('reserved document numbers', () => {
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

  const advance = (advanceSeconds: number) => control(simulator.url, 'clock', { advanceSeconds });

  async function foundCount(): Promise<number> {
    const response = await client.searchAround(Date.now());
    return (response.json() as { metadata: { totalCount: number } }).metadata.totalCount;
  }

  it.each([
    [
      'CV302',
      'Step04-Code Field Validator',
      'CountrySubentityCode',
      'ItemCode NA does not exist in CodeType State Codes',
    ],
    ['ERR406', 'Step05-Taxpayer Profile Validator', 'ID', 'Buyer TIN is invalid'],
    ['CF349', 'Step02-Core Fields Validator', 'Telephone', 'Contact number is required - BUYER'],
    ['DS322', 'Step08-Document Signature Validator', null, "Document digest value doesn't match"],
    ['DV302', 'Step03-Duplicated Submission Validator', null, 'Duplicated submitted document'],
    ['DR303', 'Step06-Document References Validator', 'UUID', 'status of the referenced document'],
    ['CV999', 'Step04-Code Field Validator', null, 'Validation error CV999'],
  ])('fail as SIM-INVALID-%s in %s', async (code, step, propertyName, text) => {
    const uuid = await client.accept(exampleEntry({ number: `SIM-INVALID-${code}-1` }));
    await advance(2);
    const { status, validationResults } = await client.details(uuid);
    expect(status).toBe('Invalid');
    const failed = validationResults.validationSteps.filter((result) => result.status === 'Invalid');
    expect(failed.map(({ name }) => name)).toEqual([step]);
    expect(failed[0]?.error?.innerError).toMatchObject([{ errorCode: code, propertyName }]);
    expect(failed[0]?.error?.innerError[0]?.error).toContain(text);
  });

  it('reject SIM-REJECT at submission with its code', async () => {
    const details = await client.reject(exampleEntry({ number: 'SIM-REJECT-CF349-1' }));
    expect(details).toMatchObject([{ code: 'CF349', target: 'Telephone' }]);
  });

  it('keep SIM-SLOW Submitted for the stated seconds', async () => {
    const uuid = await client.accept(exampleEntry({ number: 'SIM-SLOW-30-1' }));
    await advance(29);
    expect(await client.readStatus(uuid)).toBe('Submitted');
    await advance(1);
    expect(await client.readStatus(uuid)).toBe('Valid');
  });

  it('keep SIM-STUCK Submitted', async () => {
    const uuid = await client.accept(exampleEntry({ number: 'SIM-STUCK-1' }));
    await advance(3000);
    expect(await client.readStatus(uuid)).toBe('Submitted');
  });

  it('cut the connection once after accepting SIM-DROP', async () => {
    await expect(client.submit(exampleEntry({ number: 'SIM-DROP-1' }))).rejects.toThrow('fetch failed');
    expect(await foundCount()).toBe(1);
    expect((await client.submit(exampleEntry({ number: 'SIM-DROP-1', issuedAt: earlier }))).status).toBe(202);
  });

  it("delay the response to SIM-LATE once beyond the caller's timeout", async () => {
    const call = client.submitWithin(300, exampleEntry({ number: 'SIM-LATE-1' }));
    await expect(call).rejects.toThrow('timeout');
    expect(await foundCount()).toBe(1);
    expect((await client.submit(exampleEntry({ number: 'SIM-LATE-1', issuedAt: earlier }))).status).toBe(202);
  });

  it('send the response to SIM-LATE after lateAnswerMs', async () => {
    await control(simulator.url, 'settings', { lateAnswerMs: 50 });
    expect((await client.submit(exampleEntry({ number: 'SIM-LATE-1' }))).status).toBe(202);
  });

  it('respond to SIM-FAIL once with 500 without accepting the document', async () => {
    const entry = exampleEntry({ number: 'SIM-FAIL-1' });
    expect((await client.submit(entry)).status).toBe(500);
    expect(await foundCount()).toBe(0);
    expect((await client.submit(entry)).status).toBe(202);
  });

  it('reject a cancellation of SIM-NOCANCEL', async () => {
    const uuid = await client.accept(exampleEntry({ number: 'SIM-NOCANCEL-1' }));
    await advance(2);
    expect(await client.readStatus(uuid)).toBe('Valid');
    expect(parseError(await client.changeState(uuid, 'cancelled')).code).toBe('OperationPeriodOver');
  });

  it.each(['SIM-', 'SIM-SLOWLY-1', 'SIM-SLOW-x-1', 'SIM-INVALID-1', 'SIM-STUCK', 'SIM-OTHER-1'])(
    'are listed in the error for the unknown number %s',
    async (number) => {
      const [detail] = await client.reject(exampleEntry({ number }));
      expect(detail?.message).toContain('SIM-INVALID-CODE-…');
      expect(detail?.message).toContain('SIM-NOCANCEL-…');
    },
  );

  it('have no effect in the middle of a number', async () => {
    expect((await client.submit(exampleEntry({ number: 'XSIM-STUCK-1' }))).json()).toMatchObject({
      rejectedDocuments: [],
    });
  });
});
