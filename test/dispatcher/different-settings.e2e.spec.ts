import { Logger } from '@nestjs/common';
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Finding } from '../../src/cli/doctor/finding.js';
import { examine } from '../../src/cli/doctor/findings.js';
import { openLogin } from '../../src/processes/open-login.js';
import { accept, createTenant, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { type DispatcherReplica, dispatcherSettings, startReplica } from './replica.js';

const service = await startFileService();
const OTHER_KEY = { SECRETS_KEY: 'another-key-for-tests-of-32-characters-or-more' };
const CERTIFICATES = new URL('../support/certificates/', import.meta.url).pathname;
const SIGNED = {
  AUTHORITY_SANDBOX_SIGNING_CERT: `${CERTIFICATES}signing.cert.pem`,
  AUTHORITY_SANDBOX_SIGNING_KEY: `${CERTIFICATES}signing.key.pem`,
};
const FORMER = {
  ...SIGNED,
  AUTHORITY_SANDBOX_CLIENT_ID: 'former-client',
  AUTHORITY_SANDBOX_CLIENT_SECRET: 'former-secret',
};
const errors: string[] = [];

beforeEach(async () => {
  await service.owner.query('DELETE FROM service_process');
  await service.tick('report');
  errors.length = 0;
});
afterAll(() => Logger.overrideLogger(false));

async function startOther(settings: Record<string, string>): Promise<DispatcherReplica> {
  const replica = await startReplica(dispatcherSettings(service, service.simulator.url, settings));
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await replica.close();
    isOpen = false;
  };
  onTestFinished(close);
  // Nest disabled logging for the replica.
  Logger.overrideLogger({ log: () => undefined, warn: () => undefined, error: (line) => errors.push(String(line)) });
  await replica.tick('report');
  return { ...replica, close };
}

async function moveDatabaseClock(seconds: number): Promise<void> {
  await service.owner.query('UPDATE service_clock SET offset_seconds = offset_seconds + $1', [seconds]);
}

async function countLogins(): Promise<number> {
  const calls = (await (await fetch(`${service.simulator.url}/_control/calls?after=0`)).json()) as { api: string }[];
  return calls.filter(({ api }) => api === 'token').length;
}

async function queue(tenant: TestTenant): Promise<void> {
  await accept(service, tenant, [invoice()]);
}

async function listProblems(settings: Record<string, string> = {}): Promise<string[]> {
  return listFindings('problem', settings);
}

async function listFindings(result: Finding['result'], settings: Record<string, string> = {}): Promise<string[]> {
  const environment = { ...service.settings, DATABASE_OWNER_URL: service.database.ownerUrl, ...settings };
  const findings: Finding[] = await examine({ environment, problem: null }, openLogin);
  return findings.filter((each) => each.check === 'processes' && each.result === result).map(({ found }) => found);
}

describe('dispatchers with different SECRETS_KEY values', () => {
  it('send every document with one login each', async () => {
    const other = await startOther(OTHER_KEY);
    const tenant = await createTenant(service);
    const before = await countLogins();
    for (let round = 0; round < 4; round += 1) {
      await queue(tenant);
      expect(await service.tick('submit')).toBe(1);
      await queue(tenant);
      expect(await other.tick('submit')).toBe(1);
    }
    expect((await countLogins()) - before).toBe(2);
    expect((await service.wireLog()).length).toBe(8);
    await service.settle();
  });

  it('are reported in the log and by doctor', async () => {
    const other = await startOther(OTHER_KEY);
    await other.tick('report');
    await service.tick('report');
    expect(errors).toContainEqual(
      expect.stringMatching(/^Processes run with other settings than this one: .*dispatcher on .*: SECRETS_KEY\b/),
    );
    expect(await listProblems()).toEqual([
      expect.stringMatching(/^SECRETS_KEY differs: .*not the same: dispatcher on /),
    ]);
  });

  it('resume sharing tokens once the process with the other key stops', async () => {
    const other = await startOther(OTHER_KEY);
    const tenant = await createTenant(service);
    await queue(tenant);
    expect(await other.tick('submit')).toBe(1);
    await other.close();
    const before = await countLogins();
    await queue(tenant);
    expect(await service.tick('submit')).toBe(1);
    const same = await startOther({});
    await queue(tenant);
    expect(await same.tick('submit')).toBe(1);
    expect((await countLogins()) - before).toBe(1);
    await service.settle();
  });
});

describe('doctor', () => {
  it('reports no difference between processes with the same settings', async () => {
    await startOther({});
    expect(await listProblems()).toEqual([]);
    expect(errors).toEqual([]);
  });

  it.each([
    ['AUTHORITY_SANDBOX_CLIENT_ID', 'another-client'],
    ['AUTHORITY_SANDBOX_CLIENT_SECRET', 'another-secret'],
  ])('reports the processes with a different %s', async (setting, value) => {
    await startOther({ [setting]: value });
    expect(await listProblems()).toEqual([
      expect.stringMatching(new RegExp(`^${setting} differs: .*this command; not the same: dispatcher on .*pid `)),
    ]);
  });

  describe('on a dispatcher with DISPATCH_QUEUED=off', () => {
    it('accepts a former client id, secret and signing certificate', async () => {
      await startOther({ ...FORMER, DISPATCH_QUEUED: 'off' });
      await service.tick('report');
      expect(await listProblems()).toEqual([]);
      expect(errors).toEqual([]);
      // The same holds if doctor runs on the dispatcher's host.
      expect(await listProblems({ ...FORMER, DISPATCH_QUEUED: 'off' })).toEqual([]);
    });

    it.each([
      ['SECRETS_KEY', OTHER_KEY],
      ['AUTHORITY_SANDBOX_IDENTITY_URL', { AUTHORITY_SANDBOX_IDENTITY_URL: 'http://authority.invalid' }],
    ])('reports a different %s', async (setting, value) => {
      await startOther({ ...FORMER, ...value, DISPATCH_QUEUED: 'off' });
      expect(await listProblems()).toEqual([expect.stringMatching(new RegExp(`^${setting} differs: `))]);
    });
  });

  it('reports its own settings if they differ from those of all processes', async () => {
    expect(await listProblems({ AUTHORITY_SANDBOX_CLIENT_SECRET: 'another-secret' })).toEqual([
      expect.stringMatching(/^AUTHORITY_SANDBOX_CLIENT_SECRET differs: api on .*; not the same: this command$/),
    ]);
  });

  it('reports a dispatcher with a different signing certificate', async () => {
    await startOther(SIGNED);
    expect(await listProblems()).toEqual([expect.stringMatching(/^AUTHORITY_SANDBOX_SIGNING_CERT differs: /)]);
  });

  it('reports each silent process for a day or until it is replaced', async () => {
    await service.advance(90);
    const silent = await listProblems();
    expect(silent).toEqual(
      ['api', 'dispatcher'].map((role): unknown =>
        expect.stringMatching(new RegExp(`^${role} on .* has not reported for 9\\d s$`)),
      ),
    );
    // Same address, as after a restart.
    await service.restart();
    await service.tick('report');
    expect(await listProblems()).toEqual([]);
  });

  it('does not report a process after a graceful shutdown', async () => {
    const other = await startOther({ METRICS_PORT: '9999' });
    await other.close();
    await service.advance(90);
    await service.tick('report');
    expect(await listProblems()).toEqual([]);
  });

  it('reports a stopped process if other processes use METRICS_PORT 0', async () => {
    await startOther({ METRICS_PORT: '0' });
    const running = await startOther({ METRICS_PORT: '0' });
    await service.advance(90);
    await service.tick('report');
    await running.tick('report');
    expect(await listProblems()).toEqual([
      expect.stringMatching(/^dispatcher on .* \(METRICS_PORT 0, .* has not reported for 9\d s$/),
    ]);
  });

  it('reports a process that has been silent since the clock was set back', async () => {
    const other = await startOther({ METRICS_PORT: '9999' });
    await moveDatabaseClock(7_200);
    await other.tick('report');
    await moveDatabaseClock(-7_200);
    await service.tick('report');
    expect(await listProblems()).toEqual([
      expect.stringMatching(
        /^dispatcher on .*9999.* since the clock of the database was set back by 120 minutes or more$/,
      ),
    ]);
    await other.tick('report');
    expect(await listProblems()).toEqual([]);
  });

  it('recommends waiting after a login with an inconclusive result', async () => {
    const other = await startOther({ AUTHORITY_SANDBOX_IDENTITY_URL: 'http://authority.invalid' });
    await queue(await createTenant(service));
    await other.tick('submit');
    await other.tick('report');
    expect(await listFindings('advice')).toEqual([
      expect.stringMatching(/^dispatcher on .* last login in sandbox at .*: unavailable \((?:ENOTFOUND|EAI_AGAIN)/),
    ]);
    await other.close();
    await service.settle();
  });

  it('reports rejected credentials as a problem for 15 minutes', async () => {
    const other = await startOther({ AUTHORITY_SANDBOX_CLIENT_SECRET: 'wrong-secret' });
    await queue(await createTenant(service));
    await service.control('settings', { clientSecret: 'test-secret' });
    await other.tick('submit');
    await other.tick('report');
    const refused: unknown = expect.stringMatching(/^dispatcher on .* last login in sandbox at .*: client-refused /);
    expect(await listProblems()).toContainEqual(refused);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 16 * 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await listProblems()).not.toContainEqual(refused);
    expect(await listFindings('advice')).toContainEqual(refused);
    vi.useRealTimers();
    await other.close();
    await service.advance(61);
    await service.settle();
  });
});
