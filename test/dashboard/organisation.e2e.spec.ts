import { describe, expect, it } from 'vitest';
import type { Role } from '../../src/accounts/roles.js';
import { CreditLedger } from '../../src/credits/credit-ledger.js';
import type {
  AppointmentDto,
  OrganisationDto,
  ProfileDto,
} from '../../src/dashboard-api/organisation/dto/organisation.dto.js';
import type { CodeDto } from '../../src/dashboard-api/organisation/code-lists.controller.js';
import type { SubmissionStatusDto } from '../../src/status/dto/submission-status.dto.js';
import type { SubmitAcceptedDto } from '../../src/submission/dto/submit-accepted.dto.js';
import { createKey, submit as submitByKey } from '../support/client.js';
import { PASSWORD, signUp } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { fillProfile, newTin, type SignedUp } from '../support/onboarding.js';
import { type Problem, readAudit } from '../support/people.js';
import { insertKey, verify } from '../support/tenants.js';
import { until } from '../support/until.js';

const INTERMEDIARY = { tin: 'C20830570210', brn: '202001234567', name: 'Example E-Invoicing Sdn Bhd' };

const service = await startFileService({
  environments: ['sandbox', 'production'],
  environment: {
    INTERMEDIARY_TIN: INTERMEDIARY.tin,
    INTERMEDIARY_BRN: INTERMEDIARY.brn,
    INTERMEDIARY_NAME: INTERMEDIARY.name,
  },
});

const DAY_SECONDS = 86_400;
const WAITING = `SELECT FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid`;

let counter = 0;

function change<T = ProfileDto>({ browser, tenantId }: SignedUp, profile: object) {
  return browser.call<T>('PATCH', `/organisations/${tenantId}/profile`, profile);
}

async function onboarded(): Promise<SignedUp & { tin: string }> {
  const owner = await signUp(service);
  const tin = newTin();
  expect((await fillProfile(owner, { tin })).status).toBe(200);
  await verify(service.owner, owner.tenantId);
  return { ...owner, tin };
}

async function shown({ browser, tenantId }: SignedUp): Promise<OrganisationDto> {
  return (await browser.get<OrganisationDto>(`/organisations/${tenantId}`)).body;
}

function check<T = AppointmentDto>({ browser, tenantId }: SignedUp, environment = 'sandbox') {
  return browser.post<T>(`/organisations/${tenantId}/${environment}/appointment-check`, {});
}

function submit<T = SubmitAcceptedDto>(
  { browser, tenantId }: SignedUp,
  document: object,
  { key = `key-${++counter}`, environment = 'sandbox' } = {},
) {
  const body = { submission_type: 'non-consolidated', documents: [document] };
  const path = `/organisations/${tenantId}/${environment}/submissions`;
  return browser.post<T>(path, body, { headers: { 'idempotency-key': key } });
}

async function grant(tenantId: string, credits: number): Promise<void> {
  await new CreditLedger(service.owner).grant({ tenantId, credits });
}

/** Gives the user of this browser another role in the organisation. */
async function lower({ tenantId }: SignedUp, role: Role): Promise<void> {
  await service.owner.query('UPDATE membership SET role = $2 WHERE tenant_id = $1', [tenantId, role]);
}

describe('organisation', () => {
  it('lists every missing field after sign-up', async () => {
    const organisation = await shown(await signUp(service));
    expect(organisation.missing).toEqual(['TIN', 'id', 'MSIC', 'activity', 'address', 'phone']);
    expect(organisation.profile).toMatchObject({ tin: null, country: 'MYS', defaultTaxType: '01' });
    expect(organisation.remainingCredits).toEqual({ sandbox: 0, production: 0 });
    expect(organisation.onboarding).toEqual({
      isProfileComplete: false,
      intermediary: INTERMEDIARY,
      appointments: [
        { environment: 'sandbox', isAppointed: null, checkedAt: null },
        { environment: 'production', isAppointed: null, checkedAt: null },
      ],
      verifications: ['sandbox', 'production'].map((environment) => ({
        environment,
        status: 'unverified',
        reason: null,
        message: `The organisation is not verified for its TIN in the ${environment} environment`,
        action: expect.stringContaining('Complete the profile') as string,
        updatedAt: null,
      })),
      hasSandboxKey: false,
      hasSandboxDocument: false,
      hasValidSandboxDocument: false,
    });
  });

  it('shows its completed onboarding steps', async () => {
    const [owner, other] = [await onboarded(), await onboarded()];
    await grant(owner.tenantId, 5);
    await insertKey(service.owner, owner.tenantId);
    await check(owner);
    await submit(owner, invoice());
    expect((await shown(owner)).onboarding).toMatchObject({
      isProfileComplete: true,
      appointments: [{ isAppointed: true, checkedAt: expect.any(String) as string }, { isAppointed: null }],
      hasSandboxKey: true,
      hasSandboxDocument: true,
      hasValidSandboxDocument: false,
    });
    await service.settle();
    expect((await shown(owner)).onboarding.hasValidSandboxDocument).toBe(true);
    expect((await shown(other)).onboarding).toMatchObject({ hasSandboxKey: false, hasSandboxDocument: false });
  });

  it('ignores revoked, expired and production keys in the onboarding', async () => {
    const owner = await onboarded();
    await insertKey(service.owner, owner.tenantId, 'production');
    await insertKey(service.owner, owner.tenantId);
    const end = `UPDATE api_key SET expires_at = service_now() WHERE tenant_id = $1 AND environment = 'sandbox'`;
    await service.owner.query(end, [owner.tenantId]);
    expect((await shown(owner)).onboarding.hasSandboxKey).toBe(false);
  });
});

describe('profile change', () => {
  it('normalises the values and records each changed field', async () => {
    const owner = await signUp(service);
    await change(owner, { city: 'Ipoh' });
    const { status, body } = await change(owner, { city: 'Taiping', stateCode: 'Perak', phone: '+60 3-1234 5678' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ city: 'Taiping', stateCode: '08', phone: '+60312345678' });
    expect((await shown(owner)).profile).toEqual(body);
    expect((await readAudit(service, owner.tenantId)).at(-1)).toMatchObject({
      action: 'organisation.profile_changed',
      actor: owner.email,
      details: {
        changes: {
          city: { from: 'Ipoh', to: 'Taiping' },
          stateCode: { from: null, to: '08' },
          phone: { from: null, to: '+60312345678' },
        },
      },
    });
  });

  it('reports every invalid field and stores nothing', async () => {
    const owner = await signUp(service);
    const before = await readAudit(service, owner.tenantId);
    const wrong = { city: 'Ipoh', tin: 'C1234567891', postcode: '5048', phone: '0312345678', idType: 'BRN' };
    const { status, body } = await change<Problem>(owner, wrong);
    expect([status, body.code]).toEqual([400, 'validation_failed']);
    expect(body.details?.map(({ pointer, hint }) => [pointer, hint])).toEqual([
      ['/tin', 'compare it with the registration: the TIN of an organisation ends in 0'],
      ['/idValue', null],
      ['/postcode', expect.stringContaining('use 50480')],
      ['/phone', 'use +60312345678, with the code of Malaysia'],
    ]);
    expect((await shown(owner)).profile.city).toBeNull();
    expect(await readAudit(service, owner.tenantId)).toEqual(before);
  });

  it.each([
    ['{"city":"Ipoh","city":"Klang"}', 'city', 400],
    ['{"city":"Ipoh","city":"Ipoh"}', 'city', 200],
  ])('rejects %s only if the values differ', async (body, member, status) => {
    const owner = await onboarded();
    const response = await owner.browser.call<{ details?: object[] }>(
      'PATCH',
      `/organisations/${owner.tenantId}/profile`,
      body,
    );
    expect(response.status).toBe(status);
    const details = [{ pointer: `/${member}`, rule: 'repeated_member' }];
    expect(response.body).toMatchObject(status === 400 ? { code: 'validation_failed', details } : { city: 'Ipoh' });
  });

  it('clears null and empty fields and keeps omitted fields', async () => {
    const owner = await onboarded();
    await change(owner, { email: 'a@kedai.example', sstNumber: 'W10' });
    const { body } = await change(owner, { email: null, sstNumber: '' });
    expect(body).toMatchObject({ email: null, sstNumber: null, city: 'Kuala Lumpur' });
    const before = await readAudit(service, owner.tenantId);
    expect((await change(owner, { city: 'Kuala Lumpur' })).status).toBe(200);
    expect(await readAudit(service, owner.tenantId)).toEqual(before);
  });

  it.each<[object, string]>([
    [{ tenantId: 'x' }, 'tenantId is not a field of the profile'],
    [{ createdAt: null }, 'createdAt is not a field of the profile'],
    [{ postcode: 50480 }, 'postcode must be a string'],
    [[], 'the body must be a JSON object'],
  ])('rejects %j', async (body, error) => {
    const response = await change<Problem>(await signUp(service), body);
    expect([response.status, response.body.errors]).toEqual([400, [error]]);
  });

  it.each<Role>(['viewer', 'member'])('is read-only for a %s', async (role) => {
    const owner = await onboarded();
    await lower(owner, role);
    const response = await change<Problem>(owner, { city: 'Ipoh' });
    expect([response.status, response.body.code]).toEqual([403, 'role_too_low']);
    expect((await shown(owner)).profile.city).toBe('Kuala Lumpur');
  });

  it('preserves both of two concurrent changes', async () => {
    const owner = await onboarded();
    await Promise.all([change(owner, { city: 'Ipoh' }), change(owner, { activity: 'Retail' })]);
    expect((await shown(owner)).profile).toMatchObject({ city: 'Ipoh', activity: 'Retail' });
  });
});

describe('TIN', () => {
  it('can be changed three times in 24 hours', async () => {
    const owner = await onboarded();
    for (let count = 0; count < 3; count += 1) {
      expect((await change(owner, { tin: newTin() })).status).toBe(200);
    }
    const last = (await shown(owner)).profile;
    const tin = newTin();
    const refusal = await change<Problem & { possibleAt: string }>(owner, { tin, city: 'Ipoh' });
    expect([refusal.status, refusal.body.code]).toEqual([429, 'tin_changes_used_up']);
    expect(refusal.body.message).toContain(refusal.body.possibleAt);
    expect((await shown(owner)).profile).toEqual(last);
    expect((await change(owner, { tin: last.tin, city: 'Ipoh' })).status).toBe(200);
    await service.advance(DAY_SECONDS);
    await owner.browser.enter('/sign-in', { email: owner.email, password: PASSWORD });
    expect((await change(owner, { tin })).status).toBe(200);
  });
});

describe('appointment check', () => {
  it('waits for a concurrent profile change', async () => {
    const owner = await onboarded();
    expect((await check(owner)).status).toBe(200);
    const checked = await service.owner.transaction(async (tx) => {
      await tx.query('SELECT FROM tenant WHERE tenant_id = $1 FOR UPDATE', [owner.tenantId]);
      const checking = check(owner);
      await until('the check waits', async () => (await tx.query<unknown[]>(WAITING)).length > 0);
      await tx.query(`SET LOCAL lock_timeout = '500ms'`);
      await tx.query('UPDATE appointment_check SET confirmed_tin = NULL WHERE tenant_id = $1', [owner.tenantId]);
      return { checking };
    });
    expect((await checked.checking).status).toBe(200);
  });

  it('stores the appointment for the environment and TIN', async () => {
    const owner = await onboarded();
    const { status, body } = await check(owner, 'production');
    expect(status).toBe(200);
    expect(body).toEqual({
      isAppointed: true,
      checkedAt: expect.any(String) as string,
      problems: [],
      authorityMessage: null,
      retryAfterSeconds: null,
    });
    const [sandbox, production] = (await shown(owner)).onboarding.appointments;
    expect([sandbox.isAppointed, production.isAppointed]).toEqual([null, true]);
    expect((await readAudit(service, owner.tenantId)).at(-1)).toMatchObject({
      action: 'appointment.checked',
      subject: owner.tin,
      details: { environment: 'production', isAppointed: true },
    });
    await fillProfile(owner, { tin: newTin() });
    expect((await shown(owner)).onboarding.appointments[1].isAppointed).toBeNull();
  });

  it('can be repeated one minute after the authority rejects it', async () => {
    const owner = await onboarded();
    const { tin } = owner;
    await service.control('taxpayers', { tin, appointed: false });
    const refused = (await check(owner)).body;
    expect(refused).toMatchObject({
      isAppointed: false,
      authorityMessage: 'invalid_grant: The taxpayer has not appointed this intermediary',
      retryAfterSeconds: 60,
    });
    expect(refused.problems[0].fix).toContain('MyInvois portal');
    expect((await shown(owner)).onboarding.appointments[0].isAppointed).toBe(false);
    await service.control('taxpayers', { tin, appointed: true });
    const held = (await check(owner)).body;
    const { isAppointed, checkedAt, authorityMessage } = refused;
    expect(held).toMatchObject({ isAppointed, checkedAt, authorityMessage, retryAfterSeconds: 60 });
    expect(held.problems[0].fix).toContain('in 60 seconds');
    await service.advance(61);
    expect((await check(owner)).body).toMatchObject({ isAppointed: true, problems: [] });
  });

  it('reports the missing fields of a profile without a TIN', async () => {
    const owner = await signUp(service);
    const { body } = await check(owner);
    expect(body).toMatchObject({ isAppointed: null, authorityMessage: null });
    expect(body.problems).toEqual([
      { message: expect.stringContaining('TIN, id, MSIC') as string, fix: expect.stringContaining('first') as string },
    ]);
    await change(owner, { tin: newTin(), idType: 'BRN', idValue: '201901234567' });
    const named = (await check(owner)).body;
    expect(named.isAppointed).toBe(true);
    expect(named.problems).toEqual([
      { message: expect.stringContaining('MSIC, activity') as string, fix: expect.any(String) as string },
    ]);
  });

  it('reports an id that does not match the TIN', async () => {
    const owner = await onboarded();
    await change(owner, { idValue: '201901234404' });
    const { body } = await check(owner);
    expect(body.isAppointed).toBe(true);
    expect(body.problems[0].message).toContain('does not know your TIN together with the id');
  });

  it('keeps the last result while the authority is unreachable', async () => {
    const owner = await onboarded();
    await check(owner);
    await service.control('faults', [{ when: { api: 'validateTin' }, fault: 'http-500-before' }]);
    const { body } = await check(owner);
    expect(body).toMatchObject({ isAppointed: null, retryAfterSeconds: 30 });
    expect(body.problems[0].message).toBe('The authority did not respond');
    expect((await shown(owner)).onboarding.appointments[0].isAppointed).toBe(true);
  });
});

describe('submit from the browser', () => {
  it('is accepted and charged like an API submit', async () => {
    const owner = await onboarded();
    await grant(owner.tenantId, 3);
    const { status, body, headers } = await submit(owner, invoice({ referenceId: 'WEB-1' }));
    expect([status, headers.get('x-credits-remaining')]).toEqual([200, '2']);
    await service.settle();
    const path = `/organisations/${owner.tenantId}/sandbox/submissions/${body.submissionBatchId}`;
    const followed = await owner.browser.get<SubmissionStatusDto>(path);
    expect(followed.body).toMatchObject({ status: 'Valid', documents: [{ referenceId: 'WEB-1' }] });
    expect((await readAudit(service, owner.tenantId)).at(-1)).toMatchObject({
      action: 'documents.submitted',
      subject: body.submissionBatchId,
      actor: owner.email,
      details: { environment: 'sandbox', documents: ['WEB-1'] },
    });
    const elsewhere = path.replace('/sandbox/', '/production/');
    expect((await owner.browser.get(elsewhere)).status).toBe(404);
  });

  it('is accepted once per idempotency key', async () => {
    const owner = await onboarded();
    await grant(owner.tenantId, 3);
    const document = invoice();
    const first = await submit(owner, document, { key: 'again' });
    const second = await submit(owner, document, { key: 'again' });
    expect(second.text).toBe(first.text);
    expect(second.headers.get('x-credits-charged')).toBe('0');
    const entries = await readAudit(service, owner.tenantId);
    expect(entries.filter(({ action }) => action === 'documents.submitted')).toHaveLength(1);
  });

  it('adds a missing audit entry on retry', async () => {
    const owner = await onboarded();
    await grant(owner.tenantId, 3);
    const document = invoice();
    const { body } = await submit(owner, document, { key: 'died' });
    // Simulates a crash before the audit entry was written.
    await service.owner.query('ALTER TABLE audit_entry DISABLE TRIGGER USER');
    await service.owner.query('DELETE FROM audit_entry WHERE subject = $1', [body.submissionBatchId]);
    await service.owner.query('ALTER TABLE audit_entry ENABLE TRIGGER USER');
    await submit(owner, document, { key: 'died' });
    const entries = await readAudit(service, owner.tenantId);
    expect(entries.filter(({ subject }) => subject === body.submissionBatchId)).toMatchObject([
      { action: 'documents.submitted', actor: owner.email },
    ]);
  });

  it('adds no audit entry for a batch submitted with an API key', async () => {
    const owner = await onboarded();
    await grant(owner.tenantId, 3);
    const document = invoice();
    await submit(owner, document, { key: 'earlier' });
    await submit(owner, document, { key: 'earlier' });
    const tenant = { tenantId: owner.tenantId, apiKey: await createKey(service, owner.tenantId) };
    const other = invoice();
    expect((await submitByKey(service, tenant, [other], { key: 'of-a-key' })).status).toBe(200);
    expect((await submit(owner, other, { key: 'of-a-key' })).headers.get('x-credits-charged')).toBe('0');
    const entries = await readAudit(service, owner.tenantId);
    expect(entries.filter(({ action }) => action === 'documents.submitted')).toHaveLength(1);
  });

  it('is rejected with the same errors as an API submit', async () => {
    const owner = await onboarded();
    const poor = await submit<Problem>(owner, invoice());
    expect([poor.status, poor.body.code]).toEqual([402, 'insufficient_credits']);
    const wrong = await submit<Problem>(owner, invoice({ documentDate: 'yesterday', document_date: undefined }));
    expect(wrong.body.details?.[0].pointer).toBe('/documents/0/documentDate');
    const noKey = await owner.browser.post<Problem>(`/organisations/${owner.tenantId}/sandbox/submissions`, {});
    expect(noKey.body.code).toBe('idempotency_key_invalid');
    const unfinished = await signUp(service);
    expect((await submit<Problem>(unfinished, invoice())).body.code).toBe('supplier_profile_incomplete');
    const entries = await readAudit(service, owner.tenantId);
    expect(entries.filter(({ action }) => action === 'documents.submitted')).toEqual([]);
  });

  it('supports a dry run', async () => {
    const owner = await onboarded();
    await grant(owner.tenantId, 3);
    const path = `/organisations/${owner.tenantId}/sandbox/submissions?dryRun=true`;
    const body = { submission_type: 'non-consolidated', documents: [invoice()] };
    expect((await owner.browser.post(path, body)).body).toMatchObject({ dryRun: true, requiredCredits: 1 });
    expect(await shown(owner)).toMatchObject({
      remainingCredits: { sandbox: 3 },
      onboarding: { hasSandboxDocument: false },
    });
  });
});

describe('code list search', () => {
  it('returns at most 20 industries for words or digits', async () => {
    const { browser } = await signUp(service);
    const words = await browser.get<CodeDto[]>('/code-lists/msic?query=hardware%20computers');
    expect(words.body[0]).toEqual({ code: '46510', description: expect.stringContaining('computer') as string });
    expect((await browser.get<CodeDto[]>('/code-lists/msic?query=46')).body).toHaveLength(20);
  });

  it.each([
    ['states', 17],
    ['countries', 253],
    ['classifications', 45],
    ['tax-types', 7],
  ])('finds %s', async (list, count) => {
    const { body } = await (await signUp(service)).browser.get<CodeDto[]>(`/code-lists/${list}`);
    expect(body).toHaveLength(count);
    const members = list === 'states' ? ['code', 'description', 'slug'] : ['code', 'description'];
    expect(Object.keys(body[0])).toEqual(members);
  });

  it('returns 404 for an unknown list', async () => {
    const { browser } = await signUp(service);
    for (const list of ['toString', 'nothing']) expect((await browser.get(`/code-lists/${list}`)).status).toBe(404);
  });
});
