import { describe, expect, it } from 'vitest';
import { COMMAND_ACTOR } from '../../src/accounts/audit.js';
import { startFileDatabase } from '../database/file-database.js';
import { readCommand, runCommand } from './run-command.js';

const { database, owner } = await startFileDatabase();

async function createTenant(): Promise<string> {
  return (await readCommand<{ tenantId: string }>(database, ['tenant', 'create', '--name', 'Kedai Contoh'])).tenantId;
}

describe('tenant limit', () => {
  it('changes the given limits with an audit entry per change', async () => {
    const tenantId = await createTenant();
    const limit = (...options: string[]): Promise<object> =>
      readCommand(database, ['tenant', 'limit', '--tenant', tenantId, ...options]);
    expect(await limit()).toEqual({ tenantId, requests: null, submits: null, tinChecks: null });
    await limit('--submits-per-minute', '600', '--tin-checks-per-minute', '0');
    expect(await limit('--submits-per-minute', 'default')).toEqual({
      tenantId,
      requests: null,
      submits: null,
      tinChecks: 0,
    });
    expect(await limit('--submits-per-minute', 'default')).toEqual(await limit());
    const entries = await owner.query<{ actor: string; details: object }[]>(
      `SELECT actor, details FROM audit_entry WHERE tenant_id = $1 AND action = 'organisation.limits_changed' ORDER BY id`,
      [tenantId],
    );
    expect(entries).toEqual([
      {
        actor: COMMAND_ACTOR.email,
        details: { changes: { submits: { from: null, to: 600 }, tinChecks: { from: null, to: 0 } } },
      },
      { actor: COMMAND_ACTOR.email, details: { changes: { submits: { from: 600, to: null } } } },
    ]);
  });

  it.each([
    [['--requests-per-minute', 'many'], '--requests-per-minute must be a whole number from 0 to 1000000, not "many"'],
    [['--requests-per-minute', '-1'], '--requests-per-minute must be a whole number from 0 to 1000000, not "-1"'],
  ])('rejects %j', async (options, problem) => {
    const { exitCode, error } = await runCommand(database, [
      'tenant',
      'limit',
      '--tenant',
      await createTenant(),
      ...options,
    ]);
    expect(exitCode).toBe(1);
    expect(error).toContain(problem);
  });

  it('rejects an unknown organisation', async () => {
    const tenant = '019a8b5e-7c1f-7000-8000-000000000001';
    const { exitCode, error } = await runCommand(database, ['tenant', 'limit', '--tenant', tenant]);
    expect(exitCode).toBe(1);
    expect(error).toContain(`There is no tenant ${tenant}`);
  });
});
