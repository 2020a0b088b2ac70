import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import type { VerificationEvidencesDto } from '../../src/dashboard-api/operator/dto/operator-verifications.dto.js';
import { createTenant } from '../support/client.js';
import type { Browser } from '../support/dashboard.js';
import { decideAs, fillProfile, newTin, onboard, readVerificationState } from '../support/onboarding.js';
import { readAudit, createOperator, type Problem } from '../support/people.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService({ environments: ['sandbox', 'production'] });
let operator: Browser;
let email: string;
beforeAll(async () => {
  ({ browser: operator, email } = await createOperator(service));
});

async function listEvidence(query: string): Promise<VerificationEvidencesDto['items']> {
  const { status, body, text } = await operator.get<VerificationEvidencesDto>(`/operator/verifications?${query}`);
  expect(status, text).toBe(200);
  return body.items;
}

describe('the list of verifications', () => {
  it('contains the evidence of each organisation', async () => {
    const first = await onboard(service);
    const stranger = await onboard(service, first.tin);
    const byCommand = await createTenant(service, { profile: { tin: first.tin }, isVerified: false });
    const open = await listEvidence('');
    expect(open.map(({ tenantId }) => tenantId)).toContain(stranger.tenantId);
    expect(open.map(({ tenantId }) => tenantId)).not.toContain(first.tenantId);
    const [seen] = await listEvidence(`tenantId=${stranger.tenantId}`);
    expect(seen).toMatchObject({
      tin: first.tin,
      idType: 'BRN',
      idValue: '201901234567',
      signUpEmail: stranger.email,
      environments: [
        { environment: 'sandbox', status: 'waiting', isAppointed: true, isIdConfirmed: true },
        { environment: 'production', status: 'unverified', isAppointed: null, isIdConfirmed: null },
      ],
    });
    expect(seen.others.map(({ tenantId, sandbox }) => [tenantId, sandbox])).toEqual([
      [first.tenantId, 'verified'],
      [byCommand.tenantId, 'unverified'],
    ]);
    expect((await listEvidence(`tenantId=${byCommand.tenantId}`))[0].signUpEmail).toBeNull();
  });

  it('is divided into pages without gaps', async () => {
    for (let count = 0; count < 3; count += 1) await onboard(service);
    const all = await listEvidence('status=all&limit=200');
    const found: string[] = [];
    let cursor = '';
    do {
      const { body } = await operator.get<VerificationEvidencesDto>(
        `/operator/verifications?status=all&limit=2&cursor=${cursor}`,
      );
      found.push(...body.items.map(({ tenantId }) => tenantId));
      cursor = body.next ?? '';
    } while (cursor !== '');
    expect(found).toEqual(all.map(({ tenantId }) => tenantId));
    expect((await operator.get<Problem>('/operator/verifications?tenantId=%00')).status).toBe(400);
  });
});

describe('a TIN used by two organisations', () => {
  it('is verified for the second organisation only as a shared TIN', async () => {
    const first = await onboard(service);
    const second = await onboard(service, first.tin);
    const exclusive = await decideAs(operator, second, { sharing: 'exclusive' });
    expect([exclusive.status, exclusive.body.code]).toEqual([409, 'state_conflict']);
    expect(exclusive.body.message).toContain('mark the TIN as shared');
    expect((await decideAs(operator, second, { sharing: 'shared' })).status).toBe(200);
    for (const organisation of [first, second])
      expect((await readVerificationState(organisation)).status).toBe('verified');
    const third = await onboard(service, first.tin);
    expect((await readVerificationState(third)).status).toBe('waiting');
    const decision = (await readAudit(service, second.tenantId)).at(-1);
    expect(decision).toMatchObject({
      action: 'verification.verified',
      actor: email,
      subject: first.tin,
      details: { environment: 'sandbox', isShared: true, idType: 'BRN', idValue: '201901234567' },
    });
  });

  it('can be verified for the second organisation after a refusal of the first', async () => {
    const first = await onboard(service);
    const second = await onboard(service, first.tin);
    expect((await decideAs(operator, first, { reason: 'A typing error' })).status).toBe(200);
    expect((await decideAs(operator, second, { sharing: 'exclusive' })).status).toBe(200);
    expect(await readVerificationState(first)).toMatchObject({ status: 'refused', reason: 'A typing error' });
    expect((await readVerificationState(second)).status).toBe('verified');
  });

  it('is verified for only one of them by concurrent decisions', async () => {
    const [first, second] = [await onboard(service), await onboard(service)];
    const tin = newTin();
    for (const organisation of [first, second]) await fillProfile(organisation, { tin });
    const responses = await Promise.all(
      [first, second].map((organisation) => decideAs(operator, organisation, { sharing: 'exclusive' })),
    );
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const standings = await Promise.all([first, second].map((organisation) => readVerificationState(organisation)));
    expect(standings.map(({ status }) => status).toSorted()).toEqual(['unverified', 'verified']);
  });
});

describe('a decision', () => {
  it('is stored once for eight concurrent requests', async () => {
    const { tenantId } = await createTenant(service, { isVerified: false });
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => decideAs(operator, { tenantId }, { sharing: 'exclusive' })),
    );
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array<number>(7).fill(409),
    ]);
    expect(await readAudit(service, tenantId)).toHaveLength(1);
  });

  it('is audited once when it races with a contrary decision', async () => {
    const { tenantId } = await createTenant(service, { isVerified: false });
    const responses = await Promise.all([
      decideAs(operator, { tenantId }, { sharing: 'exclusive' }),
      decideAs(operator, { tenantId }, { reason: 'Not theirs' }),
    ]);
    expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect(responses.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const entries = await readAudit(service, tenantId);
    expect(entries).toHaveLength(responses.filter(({ status }) => status === 200).length);
  });

  it('is rejected if the displayed facts have changed', async () => {
    const tin = newTin();
    const { tenantId } = await createTenant(service, { isVerified: false, profile: { tin } });
    const seen = { tin, idType: 'BRN', idValue: '201901234567', status: 'unverified', sharing: 'exclusive' };
    const path = `/operator/verifications/${tenantId}/sandbox/verify`;
    for (const other of [{ tin: newTin() }, { idType: 'ARMY' }, { idValue: '1' }, { status: 'waiting' }]) {
      const response = await operator.post<Problem>(path, { ...seen, ...other });
      expect([response.status, response.body.message], JSON.stringify(other)).toMatchObject([
        409,
        expect.stringContaining('has changed meanwhile'),
      ]);
    }
    expect((await operator.post<Problem>(path, seen)).status).toBe(200);
  });

  it('is rejected if the request or profile is incomplete', async () => {
    const bare = await createTenant(service, { profile: { tin: null, id_type: null, id_value: null } });
    const seen = { tin: 'C1234567890', idType: 'BRN', idValue: '1', status: 'unverified' };
    const verify = (tenantId: string, environment = 'sandbox') =>
      operator.post<Problem>(`/operator/verifications/${tenantId}/${environment}/verify`, {
        ...seen,
        sharing: 'exclusive',
      });
    expect((await verify(bare.tenantId)).status).toBe(409);
    expect((await verify('019a8b5e-7c1f-7000-8000-00000000ffff')).status).toBe(404);
    expect((await verify('none')).status).toBe(404);
    expect((await verify(bare.tenantId, 'moon')).status).toBe(404);
    const refusal = await operator.post<Problem>(`/operator/verifications/${bare.tenantId}/sandbox/refuse`, seen);
    expect([refusal.status, refusal.body.details?.[0].pointer]).toEqual([400, '/reason']);
  });

  it('cannot be stored with the database role of the API', async () => {
    const app = new pg.Client({ connectionString: service.database.appUrl });
    const { tenantId } = await createTenant(service, { isVerified: false });
    await app.connect();
    try {
      for (const statement of [
        `INSERT INTO taxpayer_verification VALUES
           ('${tenantId}', 'sandbox', 'C1', 'BRN', '1', 'verified', false, NULL, 'me', now())`,
        `UPDATE taxpayer_verification SET status = 'verified'`,
        'DELETE FROM taxpayer_verification',
        `SELECT decide_verification('${tenantId}', 'sandbox', 'verified', false, NULL, 'me', NULL)`,
      ]) {
        await expect(app.query(statement), statement).rejects.toMatchObject({ code: '42501' });
      }
      const { rows } = await app.query(`SELECT request_verification('sandbox') AS status`);
      expect(rows).toEqual([{ status: null }]);
    } finally {
      await app.end();
    }
  });
});
