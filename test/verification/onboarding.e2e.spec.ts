import { describe, expect, it } from 'vitest';
import type { MadeKeyDto } from '../../src/dashboard-api/keys/dto/key.dto.js';
import { signUp } from '../support/dashboard.js';
import {
  checkAppointment,
  decideAs,
  fillProfile,
  newTin,
  onboard,
  type SignedUp,
  readVerificationState,
} from '../support/onboarding.js';
import { readAudit, createOperator, type Problem } from '../support/people.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService({ environments: ['sandbox', 'production'] });

async function readVerificationStatus(somebody: SignedUp, environment = 'sandbox'): Promise<string> {
  return (await readVerificationState(somebody, environment)).status;
}

function makeKey({ browser, tenantId }: SignedUp, environment = 'sandbox') {
  return browser.post<MadeKeyDto & Problem>(`/organisations/${tenantId}/keys`, { name: 'ERP', environment });
}

async function decisionsAbout({ tenantId }: SignedUp): Promise<string[]> {
  const entries = await readAudit(service, tenantId);
  return entries
    .filter(({ action }) => action.startsWith('verification.'))
    .map(({ action, actor, details }) => `${action} in ${String(details.environment)} by ${actor}`);
}

describe('a sandbox verification', () => {
  it('is automatic for a complete profile and appointment', async () => {
    const one = await signUp(service);
    expect(await readVerificationStatus(one)).toBe('unverified');
    await fillProfile(one, { tin: newTin() });
    expect(await readVerificationStatus(one)).toBe('unverified');
    await checkAppointment(one);
    expect(await readVerificationState(one)).toMatchObject({ status: 'verified', message: null, action: null });
    expect(await decisionsAbout(one)).toEqual(['verification.verified in sandbox by automatic verification']);

    const other = await signUp(service);
    await fillProfile(other, { tin: newTin(), phone: '' });
    await checkAppointment(other);
    expect(await readVerificationStatus(other)).toBe('unverified');
    await fillProfile(other, {});
    expect(await readVerificationStatus(other)).toBe('verified');
  });

  it('requires an appointment check that confirms TIN and id', async () => {
    const unknownId = await signUp(service);
    await fillProfile(unknownId, { tin: newTin(), idValue: '201901230404' });
    expect((await checkAppointment(unknownId)).body.isAppointed).toBe(true);
    expect(await readVerificationStatus(unknownId)).toBe('unverified');
    const tin = newTin();
    await service.control('taxpayers', { tin, appointed: false });
    const notAppointed = await onboard(service, tin);
    expect(await readVerificationState(notAppointed)).toMatchObject({
      status: 'unverified',
      message: expect.stringContaining('is not verified'),
      action: expect.stringContaining('check the appointment'),
    });
  });

  it('requires an appointment for the current TIN', async () => {
    const somebody = await onboard(service);
    await fillProfile(somebody, { tin: newTin() });
    expect(await readVerificationStatus(somebody)).toBe('unverified');
    expect((await makeKey(somebody)).status).toBe(400);
    expect(await decisionsAbout(somebody)).toEqual([
      'verification.verified in sandbox by automatic verification',
      `verification.ended in sandbox by ${somebody.email}`,
    ]);
  });

  it.each([
    ['in the same spelling', (tin: string) => tin],
    ['in lower case with spaces', (tin: string) => ` ${tin.toLowerCase().slice(0, 4)} ${tin.slice(4)} `],
  ])('requires an operator if another organisation enters a verified TIN %s', async (_, typed) => {
    const first = await onboard(service);
    const stranger = await onboard(service, typed(first.tin));
    expect(await readVerificationState(stranger)).toMatchObject({
      status: 'waiting',
      message: expect.stringContaining('waits for the operator'),
    });
    expect(await readVerificationStatus(first)).toBe('verified');
    expect(await decisionsAbout(stranger)).toEqual(['verification.waiting in sandbox by automatic verification']);
    expect((await makeKey(stranger)).body).toMatchObject({
      code: 'supplier_not_verified',
      verification: { status: 'waiting' },
    });
  });

  it('succeeds for only one of two concurrent requests for a TIN', async () => {
    for (let round = 0; round < 5; round += 1) {
      const tin = newTin();
      const both = [await signUp(service), await signUp(service)];
      for (const somebody of both) await fillProfile(somebody, { tin });
      const responses = await Promise.all(both.map((somebody) => checkAppointment(somebody)));
      expect(responses.map(({ status }) => status)).toEqual([200, 200]);
      const statuses = await Promise.all(both.map((somebody) => readVerificationStatus(somebody)));
      expect(statuses.toSorted()).toEqual(['verified', 'waiting']);
    }
  });

  it('remains refused after the id is changed and restored', async () => {
    const { browser: operator } = await createOperator(service);
    const stranger = await onboard(service);
    expect((await decideAs(operator, stranger, { reason: 'Not your company' })).status).toBe(200);
    await fillProfile(stranger, { tin: stranger.tin, idValue: '202301234567' });
    await checkAppointment(stranger);
    expect((await readVerificationState(stranger)).status).toBe('waiting');
    await fillProfile(stranger, { tin: stranger.tin, idValue: '201901234567' });
    await checkAppointment(stranger);
    expect(await readVerificationState(stranger)).toMatchObject({ status: 'refused', reason: 'Not your company' });
  });

  it('requires a new appointment check after the TIN is changed and restored', async () => {
    const organisation = await onboard(service);
    expect((await readVerificationState(organisation)).status).toBe('verified');
    await fillProfile(organisation, { tin: newTin() });
    await fillProfile(organisation, { tin: organisation.tin });
    expect((await readVerificationState(organisation)).status).toBe('unverified');
    await checkAppointment(organisation);
    expect((await readVerificationState(organisation)).status).toBe('verified');
  });

  it('is not automatic after a refused organisation changes TIN or id', async () => {
    const { browser: operator } = await createOperator(service);
    const stranger = await onboard(service);
    expect((await decideAs(operator, stranger, { reason: 'Not your company' })).status).toBe(200);
    await checkAppointment(stranger);
    expect(await readVerificationState(stranger)).toMatchObject({ status: 'refused', reason: 'Not your company' });
    await fillProfile(stranger, { tin: newTin() });
    await fillProfile(stranger, { tin: stranger.tin });
    await checkAppointment(stranger);
    expect(await readVerificationStatus(stranger)).toBe('refused');
    await fillProfile(stranger, { idValue: '201901234568' });
    expect(await readVerificationStatus(stranger)).toBe('unverified');
    await checkAppointment(stranger);
    expect(await readVerificationStatus(stranger)).toBe('waiting');
  });
});

describe('a production verification', () => {
  it('always requires an operator', async () => {
    const somebody = await onboard(service);
    expect(await readVerificationStatus(somebody, 'production')).toBe('unverified');
    await checkAppointment(somebody, 'production');
    await checkAppointment(somebody, 'production');
    expect(await readVerificationStatus(somebody, 'production')).toBe('waiting');
    expect((await makeKey(somebody, 'production')).body.code).toBe('supplier_not_verified');
    const { browser: operator, email } = await createOperator(service);
    const scope = { tenantId: somebody.tenantId, environment: 'production' } as const;
    expect((await decideAs(operator, scope, { sharing: 'exclusive' })).status).toBe(200);
    expect(await readVerificationStatus(somebody, 'production')).toBe('verified');
    expect((await makeKey(somebody, 'production')).status).toBe(201);
    expect(await decisionsAbout(somebody)).toEqual([
      'verification.verified in sandbox by automatic verification',
      'verification.waiting in production by automatic verification',
      `verification.verified in production by ${email}`,
    ]);
  });
});

describe('an API key', () => {
  it('can be created only by a verified organisation', async () => {
    const somebody = await signUp(service);
    expect((await makeKey(somebody)).body).toMatchObject({
      code: 'supplier_not_verified',
      verification: { status: 'unverified', reason: null },
      message: expect.stringContaining('Complete the profile'),
    });
    await fillProfile(somebody, { tin: newTin() });
    await checkAppointment(somebody);
    expect((await makeKey(somebody)).status).toBe(201);
    expect((await makeKey(somebody, 'production')).body.code).toBe('supplier_not_verified');
  });

  it('can be rotated even after the verification has ended', async () => {
    const somebody = await onboard(service);
    const { body } = await makeKey(somebody);
    await fillProfile(somebody, { tin: newTin() });
    const path = `/organisations/${somebody.tenantId}/keys/${body.keyId}/rotate`;
    expect((await somebody.browser.post(path, { overlapHours: 0 })).status).toBe(201);
  });
});
