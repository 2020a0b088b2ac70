import { Logger } from '@nestjs/common';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Finding } from '../../src/cli/doctor/finding.js';
import { examine } from '../../src/cli/doctor/findings.js';
import { accept, createTenant, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { type DispatcherReplica, dispatcherSettings, startReplica } from './replica.js';

const service = await startFileService();
const OTHER_KEY = { SECRETS_KEY: 'another-key-for-tests-of-32-characters-or-more' };
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
  // Nest turned the log off for the replica.
  Logger.overrideLogger({ log: () => undefined, warn: () => undefined, error: (line) => errors.push(String(line)) });
  await replica.tick('report');
  return { ...replica, close };
}

async function countLogins(): Promise<number> {
  const calls = (await (await fetch(`${service.simulator.url}/_control/calls?after=0`)).json()) as { api: string }[];
  return calls.filter(({ api }) => api === 'token').length;
}

async function queue(tenant: TestTenant): Promise<void> {
  await accept(service, tenant, [invoice()]);
}

async function listProblems(settings: Record<string, string> = {}): Promise<string[]> {
  const environment = { ...service.settings, DATABASE_OWNER_URL: service.database.ownerUrl, ...settings };
  const findings: Finding[] = await examine({ environment, problem: null, logFile: null }, null);
  return findings
    .filter(({ check, result }) => check === 'processes' && result === 'problem')
    .map(({ found }) => found);
}

describe('Two dispatchers with different SECRETS_KEY', () => {
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

  it('are named in the log and by doctor', async () => {
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

  it('share tokens again once the process with the other key has ended', async () => {
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
  it('finds no difference between processes with the same settings', async () => {
    await startOther({});
    expect(await listProblems()).toEqual([]);
    expect(errors).toEqual([]);
  });

  it.each([
    ['AUTHORITY_SANDBOX_CLIENT_ID', 'another-client'],
    ['AUTHORITY_SANDBOX_CLIENT_SECRET', 'another-secret'],
  ])('names the processes that run with another %s', async (setting, value) => {
    await startOther({ [setting]: value });
    expect(await listProblems()).toEqual([
      expect.stringMatching(new RegExp(`^${setting} differs: .*this command; not the same: dispatcher on .*pid `)),
    ]);
  });

  it('names its own settings that no process runs with', async () => {
    expect(await listProblems({ AUTHORITY_SANDBOX_CLIENT_SECRET: 'another-secret' })).toEqual([
      expect.stringMatching(/^AUTHORITY_SANDBOX_CLIENT_SECRET differs: api on .*; not the same: this command$/),
    ]);
  });

  it('names a dispatcher that signs with another certificate than the others', async () => {
    const certificates = new URL('../support/certificates/', import.meta.url).pathname;
    await startOther({
      AUTHORITY_SANDBOX_SIGNING_CERT: `${certificates}signing.cert.pem`,
      AUTHORITY_SANDBOX_SIGNING_KEY: `${certificates}signing.key.pem`,
    });
    expect(await listProblems()).toEqual([expect.stringMatching(/^AUTHORITY_SANDBOX_SIGNING_CERT differs: /)]);
  });

  it('names each process that no longer reports, until another takes its place or a day has passed', async () => {
    await service.advance(90);
    const silent = await listProblems();
    expect(silent).toEqual(
      ['api', 'dispatcher'].map((role): unknown =>
        expect.stringMatching(new RegExp(`^${role} on .* has not reported for 9\\d s$`)),
      ),
    );
    // At the same address, as after a restart.
    await service.restart();
    await service.tick('report');
    expect(await listProblems()).toEqual([]);
  });

  it('forgets a process that ended as it should', async () => {
    const other = await startOther({ METRICS_PORT: '9999' });
    await other.close();
    await service.advance(90);
    await service.tick('report');
    expect(await listProblems()).toEqual([]);
  });

  it('states how the last login of each process ended', async () => {
    const other = await startOther({ AUTHORITY_SANDBOX_IDENTITY_URL: 'http://authority.invalid' });
    await queue(await createTenant(service));
    await other.tick('submit');
    await other.tick('report');
    expect(await listProblems()).toContainEqual(
      expect.stringMatching(
        /^dispatcher on .* its last login in sandbox, at .*: unavailable \((?:ENOTFOUND|EAI_AGAIN)/,
      ),
    );
    await other.close();
    await service.settle();
  });
});
