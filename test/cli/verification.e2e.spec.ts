import { describe, expect, it } from 'vitest';
import { COMMAND_ACTOR } from '../../src/accounts/audit.js';
import { accept, submit } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { fillProfile, newTin, onboard, readVerificationState } from '../support/onboarding.js';
import { readAuditLines } from '../support/people.js';
import { startFileService } from '../support/file-service.js';
import { type Ended, readCommand, runCommand } from './run-command.js';

// Operator commands also decide verifications.

const service = await startFileService({ environments: ['sandbox', 'production'] });

const cli = (...words: string[]): Promise<Ended> => runCommand(service.database, words);
const json = <T>(...words: string[]): Promise<T> => readCommand<T>(service.database, words);

interface Made {
  readonly tenantId: string;
  readonly verification: { readonly sandbox: string; readonly production: string };
}

function profileOptions(tin: string): string[] {
  const options = {
    name: 'Kedai Contoh Sdn Bhd',
    tin,
    'id-type': 'BRN',
    'id-value': '201901234567',
    msic: '46510',
    activity: 'Wholesale',
    'address-line1': 'Lot 66',
    city: 'Kuala Lumpur',
    postcode: '50480',
    state: 'Kuala Lumpur',
    phone: '+60312345678',
  };
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
}

function create(tin: string, ...switches: string[]): Promise<Made> {
  return json('tenant', 'create', ...profileOptions(tin), ...switches);
}

const VERIFIED = { sandbox: 'verified', production: 'verified' };
const WAITING = { sandbox: 'waiting', production: 'waiting' };
const UNVERIFIED = { sandbox: 'unverified', production: 'unverified' };

/** Creates an API key and grants credits. */
async function createCaller(tenantId: string) {
  await json('credits', 'grant', '--tenant', tenantId, '--credits', '10');
  const words = ['--tenant', tenantId, '--environment', 'production', '--name', 'ERP'];
  const { apiKey } = await json<{ apiKey: string }>('key', 'create', ...words);
  return { tenantId, apiKey };
}

describe('tenant create', () => {
  it('verifies the organisation for both environments', async () => {
    const { tenantId, verification } = await create(newTin());
    expect(verification).toEqual(VERIFIED);
    await accept(service, await createCaller(tenantId), [invoice()]);
    expect(await readAuditLines(service, tenantId)).toEqual(
      expect.arrayContaining(Array(2).fill(`verification.verified by ${COMMAND_ACTOR.email}`)),
    );
  });

  it('verifies a TIN that another organisation uses only with --shared-tin', async () => {
    const tin = newTin();
    const first = await create(tin);
    const { exitCode, out } = await cli('tenant', 'create', ...profileOptions(tin));
    expect(exitCode).toBe(0);
    expect(out).toContain('waits for verification in sandbox and production');
    expect(out).toContain(first.tenantId);
    const second = await create(tin);
    expect(second.verification).toEqual(WAITING);
    const response = await submit(service, await createCaller(second.tenantId), [invoice()]);
    expect(response.body.verification).toEqual({ status: 'waiting', reason: null });
    expect((await create(tin, '--shared-tin')).verification).toEqual(VERIFIED);
    await accept(service, await createCaller(first.tenantId), [invoice()]);
  });

  it('verifies only one of two concurrently created organisations with the same TIN', async () => {
    const tin = newTin();
    const made = await Promise.all([create(tin), create(tin)]);
    expect(made.map(({ verification }) => verification.sandbox).toSorted()).toEqual(['verified', 'waiting']);
    expect(made.map(({ verification }) => verification.production).toSorted()).toEqual(['verified', 'waiting']);
  });

  it('verifies an organisation only once it has a TIN', async () => {
    const made = await json<Made>('tenant', 'create', '--name', 'Kedai Baru');
    expect(made.verification).toEqual(UNVERIFIED);
    const { tenantId } = made;
    const identity = ['--tin', newTin(), '--id-type', 'BRN', '--id-value', '201901234567'];
    const updated = await json<Made>('tenant', 'update', '--tenant', tenantId, ...identity);
    expect(updated.verification).toEqual(VERIFIED);
  });
});

describe('tenant update', () => {
  it('verifies a changed TIN or id by the rules of tenant create', async () => {
    const tin = newTin();
    await create(tin);
    const { tenantId } = await create(newTin());
    const update = (...words: string[]) => json<Made>('tenant', 'update', '--tenant', tenantId, ...words);
    expect((await update('--id-value', '201901234568')).verification).toEqual(VERIFIED);
    expect((await update('--tin', tin)).verification).toEqual(WAITING);
    expect((await update('--city', 'Ipoh')).verification).toEqual(WAITING);
    expect((await update('--id-value', '201901234569', '--shared-tin')).verification).toEqual(VERIFIED);
    const { exitCode, error } = await cli(
      'tenant',
      'update',
      '--tenant',
      tenantId,
      '--city',
      'Kuching',
      '--shared-tin',
    );
    expect([exitCode, error]).toEqual([1, expect.stringContaining('use "tenant verify --shared-tin"')]);
  });

  it('does not verify an organisation if only unrelated fields change', async () => {
    const { tenantId } = await onboard(service);
    await json('tenant', 'refuse', '--tenant', tenantId, '--environment', 'sandbox', '--reason', 'Not theirs');
    const { verification } = await json<Made>('tenant', 'update', '--tenant', tenantId, '--city', 'Ipoh');
    expect(verification).toEqual({ sandbox: 'refused', production: 'unverified' });
  });
});

describe('tenant verify and tenant refuse', () => {
  const decide = (verb: 'verify' | 'refuse', tenantId: string, ...words: string[]) =>
    cli('tenant', verb, '--tenant', tenantId, '--environment', 'sandbox', ...words);

  it('show the evidence and other organisations with the same TIN', async () => {
    const first = await onboard(service);
    const second = await onboard(service, first.tin);
    const refused = await decide('verify', second.tenantId);
    expect(refused.exitCode).toBe(1);
    expect(refused.error).toContain(first.tenantId);
    expect(refused.error).toContain('mark the TIN as shared');
    const { exitCode, out } = await decide('verify', second.tenantId, '--shared-tin');
    expect(exitCode).toBe(0);
    for (const text of [
      first.tin,
      'BRN 201901234567',
      'Kedai',
      `${second.email} (not proven)`,
      'confirmed for this TIN and id',
      first.tenantId,
      `verified, as a shared TIN by ${COMMAND_ACTOR.email}`,
    ]) {
      expect(out).toContain(text);
    }
    expect((await readVerificationState(second)).status).toBe('verified');
    const shown = await json<{ verification: object }>('tenant', 'show', '--tenant', second.tenantId);
    expect(shown.verification).toMatchObject({ tin: first.tin, signUp: { email: second.email, isProven: false } });
    const list = await cli('tenant', 'list');
    expect(list.out).toContain('verified (shared TIN)');
  });

  it('change the status of the organisation once per decision', async () => {
    const somebody = await onboard(service);
    const { tenantId } = somebody;
    expect((await decide('refuse', tenantId, '--reason', 'Not your company')).exitCode).toBe(0);
    expect(await readVerificationState(somebody)).toMatchObject({ status: 'refused', reason: 'Not your company' });
    expect((await decide('verify', tenantId)).exitCode).toBe(0);
    const again = await decide('verify', tenantId);
    expect([again.exitCode, again.error]).toEqual([1, expect.stringContaining('already been made')]);
    expect((await readAuditLines(service, tenantId)).filter((line) => line.startsWith('verification.'))).toEqual([
      'verification.verified by automatic verification',
      `verification.refused by ${COMMAND_ACTOR.email}`,
      `verification.verified by ${COMMAND_ACTOR.email}`,
    ]);
  });

  it('reject incomplete options and profiles', async () => {
    const { tenantId } = await onboard(service);
    expect((await decide('refuse', tenantId)).exitCode).toBe(1);
    expect((await decide('refuse', tenantId, '--reason', ' ')).error).toContain('--reason must have');
    const moon = await cli('tenant', 'verify', '--tenant', tenantId, '--environment', 'moon');
    expect(moon.error).toContain('--environment must be sandbox or production');
    const bare = await json<Made>('tenant', 'create', '--name', 'Kedai Baru');
    expect((await decide('verify', bare.tenantId)).error).toContain('lacks the TIN or the id');
    expect((await decide('verify', '019a8b5e-7c1f-7000-8000-00000000ffff')).error).toContain('no such organisation');
  });

  it('do not apply to a changed TIN', async () => {
    const somebody = await onboard(service);
    const words = ['--tenant', somebody.tenantId, '--environment', 'production'];
    expect((await cli('tenant', 'verify', ...words)).exitCode).toBe(0);
    await fillProfile(somebody, { tin: newTin() });
    expect((await readVerificationState(somebody, 'production')).status).toBe('unverified');
  });
});
