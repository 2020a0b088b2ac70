import type { ReadableStreamDefaultReader } from 'node:stream/web';
import type { QueryRunner } from 'typeorm';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTenant, request, type TestTenant } from '../support/client.js';
import { signUpInto } from '../support/dashboard.js';
import { startFileService } from '../support/file-service.js';
import { type Access, createSubject, type Organisation, type Subject, type Way, WAYS } from './late-access.js';
import { whileLocked } from './late-requests.js';

// A slow GET request, such as a TIN check or a download, ends with its access (docs/security.md).

/** Exceeds the buffers of a connection, so that the service waits for the reader. */
const [FILE_ROWS, ROW_CHARACTERS] = [30_000, 1_000];

const service = await startFileService();
let tenant: TestTenant;
let organisation: Organisation;
beforeAll(async () => {
  tenant = await createTenant(service);
  const browser = await signUpInto(service, tenant.tenantId, 'owner');
  const owner = { browser, userId: browser.session?.user.userId ?? '' };
  organisation = { service, tenantId: tenant.tenantId, path: `/organisations/${tenant.tenantId}`, owner };
});

const waysOf = (access: Access): (readonly [string, Way])[] =>
  WAYS.filter(({ affects }) => affects(access)).map((way) => [way.name, way] as const);

async function endAccess(database: QueryRunner, { statements }: Way, subject: Subject): Promise<void> {
  for (const [text, parameters] of statements(organisation, subject)) await database.query(text, [...parameters]);
}

describe('a TIN check', () => {
  async function countCalls(): Promise<number> {
    const calls = (await (await fetch(`${service.simulator.url}/_control/calls?after=0`)).json()) as { api: string }[];
    return calls.filter(({ api }) => api === 'validateTin').length;
  }

  async function countVerdicts(): Promise<number> {
    return (await service.owner.query<object[]>('SELECT FROM taxpayer_check')).length;
  }

  const check = ({ headers }: Subject): ReturnType<typeof request> =>
    request(service, '/v1/einvoice/validate-taxpayer-tin/C9876543210?idType=BRN&idValue=202001234567', { headers });

  /** Ends the access of a TIN check that waits for a lock of the verdicts. @returns the number of authority calls */
  async function refuseWhileLocked(mode: 'ACCESS EXCLUSIVE' | 'SHARE', way: Way): Promise<number> {
    const subject = await createSubject(organisation, 'key');
    const before = await countCalls();
    const response = await whileLocked(
      service,
      [`LOCK TABLE taxpayer_check IN ${mode} MODE`],
      async (holder, blocked) => {
        const checked = check(subject);
        await blocked();
        await endAccess(holder, way, subject);
        await holder.commitTransaction();
        return checked;
      },
    );
    expect([response.status, response.body.code], response.text).toEqual(way.refusal);
    return (await countCalls()) - before;
  }

  it.each(waysOf('key'))('is rejected without an authority call after %s', async (_, way) => {
    // Reads of verdicts wait for this lock.
    expect(await refuseWhileLocked('ACCESS EXCLUSIVE', way)).toBe(0);
  });

  it.each(waysOf('key'))('is rejected without storing a verdict after %s during the authority call', async (_, way) => {
    // Only writes of verdicts wait for this lock.
    expect(await refuseWhileLocked('SHARE', way)).toBe(1);
    expect(await countVerdicts()).toBe(0);
  });

  it('stores its verdict while its key is valid', async () => {
    const subject = await createSubject(organisation, 'key');
    expect((await check(subject)).status).toBe(200);
    expect(await countVerdicts()).toBe(1);
  });
});

describe('a download', () => {
  const open = ({ headers }: Subject, path: string): Promise<Response> =>
    fetch(`${service.url}/dashboard${path}`, { headers });

  async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<number> {
    let bytes = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length;
    return bytes;
  }

  beforeAll(async () => {
    await service.owner.query(
      `INSERT INTO api_key (tenant_id, id, environment, name, prefix, last_four, digest, created_at)
       SELECT $1, gen_random_uuid(), 'sandbox', repeat('x', $2), 'eisk_test_', '0000', '', service_now()
         FROM generate_series(1, $3)`,
      [tenant.tenantId, ROW_CHARACTERS, FILE_ROWS],
    );
  });

  it.each(waysOf('viewer'))('stops before its next page after %s', async (_, way) => {
    const subject = await createSubject(organisation, 'viewer');
    const response = await open(subject, `${organisation.path}/keys.csv`);
    expect(response.status).toBe(200);
    const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    await reader.read();
    const database = service.owner.createQueryRunner();
    await endAccess(database, way, subject);
    await database.release();
    await expect(readAll(reader)).rejects.toThrow();
  });

  it('is complete while its access is valid', async () => {
    const response = await open(await createSubject(organisation, 'viewer'), `${organisation.path}/keys.csv`);
    const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    expect(await readAll(reader)).toBeGreaterThan(FILE_ROWS * ROW_CHARACTERS);
  });

  it.each(waysOf('operator'))('is rejected for an operator after %s', async (_, way) => {
    const subject = await createSubject(organisation, 'operator');
    const lock = ['SELECT FROM user_account WHERE id = $1 FOR UPDATE', subject.userId] as const;
    const response = await whileLocked(service, lock, async (holder, blocked) => {
      const opened = open(subject, '/operator/organisations.csv');
      await blocked();
      await endAccess(holder, way, subject);
      await holder.commitTransaction();
      return opened;
    });
    const { code } = (await response.json()) as { code: string };
    expect([response.status, code]).toEqual(way.refusal);
  });
});
