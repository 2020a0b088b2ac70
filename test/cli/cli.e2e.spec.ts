import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startFileDatabase } from '../database/file-database.js';
import { type Ended, readCommand, runCommand } from './run-command.js';

const { database, owner } = await startFileDatabase();

const cli = (...words: string[]): Promise<Ended> => runCommand(database, words);
const json = <T>(...words: string[]): Promise<T> => readCommand<T>(database, words);

const PROFILE_OPTIONS = {
  name: 'Kedai Contoh Sdn Bhd',
  tin: 'c 1234567890',
  'id-type': 'brn',
  'id-value': ' 201901234567 ',
  msic: '46510',
  activity: 'Wholesale of computers',
  'address-line1': 'Lot 66',
  city: 'Kuala Lumpur',
  postcode: '50480',
  state: 'Kuala Lumpur',
  phone: '+60 3-1234 5678',
  email: 'akaun@kedai.example',
};
const PROFILE = Object.entries(PROFILE_OPTIONS).flatMap(([name, value]) => [`--${name}`, value]);

function makeTenant(...options: string[]): Promise<{ tenantId: string }> {
  return json('tenant', 'create', ...(options.length > 0 ? options : PROFILE));
}

describe('tenant command', () => {
  it('stores a profile in the format of the authority', async () => {
    const { tenantId } = await makeTenant();
    expect(await json('tenant', 'show', '--tenant', tenantId)).toMatchObject({
      tenantId,
      tin: 'C1234567890',
      idType: 'BRN',
      idValue: '201901234567',
      postcode: '50480',
      stateCode: '14',
      country: 'MYS',
      phone: '+60312345678',
      defaultTaxType: '01',
      missing: [],
    });
  });

  it('lists the missing profile fields of a tenant that has only a name', async () => {
    const { exitCode, out } = await cli('tenant', 'create', '--name', 'Only a name');
    expect(exitCode).toBe(0);
    expect(out).toContain('TIN, id, MSIC, activity, address, phone');
  });

  it('changes only the given fields', async () => {
    const { tenantId } = await makeTenant();
    await json('tenant', 'update', '--tenant', tenantId, '--city', 'Ampang', '--email', '');
    expect(await json('tenant', 'show', '--tenant', tenantId)).toMatchObject({
      city: 'Ampang',
      email: null,
      tin: 'C1234567890',
    });
  });

  it('validates the whole profile after a change', async () => {
    const { tenantId } = await makeTenant();
    expect(await cli('tenant', 'update', '--tenant', tenantId, '--id-type', 'NRIC', '--id-value', '123')).toMatchObject(
      {
        exitCode: 1,
        error: expect.stringContaining('--id-value must be 12 digits for NRIC') as string,
      },
    );
    expect((await cli('tenant', 'update', '--tenant', tenantId, '--country', 'SGP')).error).toContain(
      '--state must be a Malaysian state',
    );
  });

  it('rejects a TIN that is malformed for the authority', async () => {
    const refusal = {
      exitCode: 1,
      error: expect.stringContaining('--tin must be a TIN of the tax authority') as string,
    };
    expect(await cli('tenant', 'create', '--name', 'Kedai', '--tin', 'C1234567891')).toMatchObject(refusal);
    const { tenantId } = await makeTenant();
    expect(await cli('tenant', 'update', '--tenant', tenantId, '--tin', 'X1234567890')).toMatchObject(refusal);
    expect(await json('tenant', 'show', '--tenant', tenantId)).toMatchObject({ tin: 'C1234567890' });
  });

  it('warns about a BRN in the format used before 2019', async () => {
    const warning =
      'Warning: --id-value: The BRN is in the format of SSM before 2019; the authority will probably refuse it; send the ' +
      '12-digit number of SSM.';
    const { out } = await cli('tenant', 'create', '--name', 'Kedai', '--id-type', 'BRN', '--id-value', '123456-A');
    expect(out).toContain(warning);
    const { tenantId } = await makeTenant();
    const change = ['tenant', 'update', '--tenant', tenantId, '--id-value'];
    expect((await cli(...change, '1234567X')).out).toContain(warning);
    expect(await json(...change, '1234567X')).toMatchObject({ doubts: [{ field: 'idValue' }] });
    expect((await cli(...change, 'PPM-001-10-12345678')).out).not.toContain('Warning');
  });

  it('lists all organisations', async () => {
    const { tenantId } = await makeTenant('--name', 'Listed');
    const { tenants } = await json<{ tenants: { tenantId: string }[] }>('tenant', 'list');
    expect(tenants.map((tenant) => tenant.tenantId)).toContain(tenantId);
    expect((await cli('tenant', 'list')).out).toMatch(new RegExp(`${tenantId} +Listed`));
  });
});

describe('key command', () => {
  it('shows a new key only once', async () => {
    const { tenantId } = await makeTenant();
    const key = ['key', 'create', '--tenant', tenantId, '--environment', 'sandbox', '--name', 'till'];
    const { keyId, apiKey } = await json<{ keyId: string; apiKey: string }>(...key);
    expect(apiKey).toMatch(/^eisk_test_[0-9A-Za-z]{36}$/);
    const { out } = await cli('key', 'list', '--tenant', tenantId, '--json');
    expect(out).toContain(keyId);
    expect(out).not.toMatch(/digest/);
    expect(out).not.toContain(apiKey);
  });

  it('revokes a key once', async () => {
    const { tenantId } = await makeTenant();
    const key = ['key', 'create', '--tenant', tenantId, '--environment', 'sandbox', '--name', 'till'];
    const { keyId } = await json<{ keyId: string }>(...key);
    const revoke = ['key', 'revoke', '--tenant', tenantId, '--key', keyId];
    expect(await json(...revoke)).toEqual({
      keyId,
      revoked: true,
      activity: {
        submissionCount: 0,
        documentCount: 0,
        cancellationCount: 0,
        isCapped: false,
        lastSubmissionAt: null,
      },
    });
    expect((await cli(...revoke)).exitCode).toBe(1);
  });

  it.each([
    ['--environment', 'staging', '--environment must be sandbox or production'],
    ['--expires-at', '2027-12-31', '--expires-at must be a timestamp with its UTC offset'],
    ['--expires-at', '2020-01-01T00:00:00Z', 'is in the past'],
    ['--tenant', randomUUID(), 'There is no tenant'],
    ['--tenant', 'kedai', '--tenant must be an id'],
  ])('rejects %s %s', async (flag, value, message) => {
    const { tenantId } = await makeTenant();
    const words = ['key', 'create', '--tenant', tenantId, '--environment', 'sandbox', '--name', 'till', flag, value];
    expect(await cli(...words)).toMatchObject({ exitCode: 1, error: expect.stringContaining(message) as string });
  });
});

describe('credits command', () => {
  it('grants credits', async () => {
    const { tenantId } = await makeTenant();
    const grant = ['credits', 'grant', '--tenant', tenantId, '--credits', '500', '--expires-at', '2099-12-31'];
    expect(await json(...grant)).toEqual({ balance: 500, expiresAt: '2099-12-31T16:00:00.000Z' });
    expect(await json('credits', 'balance', '--tenant', tenantId)).toEqual({
      balance: 500,
      sandboxOnly: 0,
      lots: [{ remaining: 500, granted: 500, expiresAt: '2099-12-31T16:00:00.000Z', environment: null }],
    });
    const { entries } = await json<{ entries: object[] }>('credits', 'statement', '--tenant', tenantId, '--limit', '5');
    expect(entries).toMatchObject([{ sequence: 1, kind: 'grant', amount: 500, balanceAfter: 500, environment: null }]);
  });

  it('grants credits for the sandbox only', async () => {
    const { tenantId } = await makeTenant();
    const day = ['--expires-at', '2099-12-31'];
    await json('credits', 'grant', '--tenant', tenantId, '--credits', '500', ...day);
    const grant = ['credits', 'grant', '--tenant', tenantId, '--credits', '20', ...day];
    expect(await json(...grant, '--environment', 'sandbox')).toMatchObject({ balance: 520 });
    expect(await json('credits', 'balance', '--tenant', tenantId)).toMatchObject({
      balance: 520,
      sandboxOnly: 20,
      lots: [
        { remaining: 20, environment: 'sandbox' },
        { remaining: 500, environment: null },
      ],
    });
    expect((await cli(...grant, '--environment', 'production')).error).toContain(
      '--environment must be sandbox, not "production"',
    );
  });
});

describe('queue command', () => {
  it('shows empty lists for an empty queue', async () => {
    const recovery = { openSince: null, waitingTenants: 0, searchTenants: [] };
    const nothing = {
      outages: [],
      tenantQueues: [],
      doubts: [],
      callBudgets: [],
      deadLetters: [],
      overdue: [],
      recovery,
    };
    expect(await json('queue', 'show')).toEqual(nothing);
    expect((await cli('queue', 'show')).out).toContain('No work is waiting.');
  });

  it('counts documents by tenant and state', async () => {
    const { tenantId } = await makeTenant();
    await arrangeQueue(tenantId);
    const { tenantQueues, callBudgets } = await json<{ tenantQueues: object[]; callBudgets: object[] }>(
      'queue',
      'show',
    );
    const tenantQueue = { tenantId, tenantName: 'Kedai Contoh Sdn Bhd', environment: 'sandbox' };
    expect(tenantQueues).toMatchObject([
      {
        ...tenantQueue,
        operation: 'submit',
        waiting: 2,
        held: 1,
        processing: 1,
        inDoubt: 1,
      },
      { ...tenantQueue, operation: 'cancel', waiting: 1, held: 0, processing: 0, inDoubt: 0, waitingUntil: null },
    ]);
    expect(callBudgets).toMatchObject([{ api: 'submit', clientId: 'client', blockedUntil: null, failures: 0 }]);
  });
});

describe('the command line', () => {
  it.each([
    [[], 'A command is missing'],
    [['bogus'], "unknown command 'bogus'"],
    [['tenant'], '"tenant" needs a subcommand: use tenant create'],
    [['tenant', 'bogus'], 'There is no command "tenant bogus"'],
    [['tenant', 'list', '--colour'], "unknown option '--colour'"],
    [['tenant', 'list', 'extra'], 'too many arguments'],
    [['tenant', 'create'], "required option '--name <text>' not specified"],
    [['tenant', 'create', '--name'], "option '--name <text>' argument missing"],
    [['tenant', 'update', '--tenant', randomUUID()], 'No fields to change'],
    [['credits', 'grant', '--tenant', randomUUID(), '--credits', 'many'], '--credits must be a whole number'],
    [['credits', 'grant', '--tenant', randomUUID(), '--credits', '5'], 'There is no tenant'],
  ])('exits with 1 and a message for %j', async (words, message) => {
    const text = await cli(...words);
    expect(text).toMatchObject({ exitCode: 1, out: '', error: expect.stringContaining(message) as string });
    const asJson = await cli(...words, '--json');
    expect(asJson).toMatchObject({ exitCode: 1, out: '' });
    expect(asJson.error.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(asJson.error)).toEqual({ error: expect.stringContaining(message) as string });
  });

  it('reports an unavailable database', async () => {
    const unreachable = { ownerUrl: 'postgres://einvoice_owner:x@127.0.0.1:1/einvoice' };
    const { exitCode, error } = await runCommand(unreachable, ['tenant', 'list']);
    expect({ exitCode, error }).toEqual({ exitCode: 1, error: 'connect ECONNREFUSED 127.0.0.1:1\n' });
  });

  it('exits with 0 for --help', async () => {
    expect(await cli('tenant', 'create', '--help')).toMatchObject({
      exitCode: 0,
      error: '',
      out: expect.stringContaining('--address-line1') as string,
    });
  });
});

/**
 * Two queued documents, a held note, one being sent, one in doubt, a cancellation, a waiting tenant queue
 * and a call budget.
 */
async function arrangeQueue(tenantId: string): Promise<void> {
  const batch = randomUUID();
  const [sending, unknown] = [randomUUID(), randomUUID()];
  await owner.query(`INSERT INTO submission_batch VALUES ($1, $2, 'sandbox', 'non-consolidated', 5, now())`, [
    tenantId,
    batch,
  ]);
  await owner.query(
    `INSERT INTO authority_submission
       (tenant_id, id, environment, state, lease_until, sent_at, sends, created_at, updated_at)
     VALUES ($1, $2, 'sandbox', 'sending', now() + interval '3 minutes', now(), 1, now(), now()),
            ($1, $3, 'sandbox', 'unknown', NULL, now(), 1, now(), now())`,
    [tenantId, sending, unknown],
  );
  const rows: [status: string, submission: string | null, parent: string | null][] = [
    ['Queued', null, null],
    ['Queued', null, null],
    ['Queued', null, 'A-1'],
    ['Processing', sending, null],
    ['Processing', unknown, null],
  ];
  for (const [position, [status, submission, parent]] of rows.entries()) {
    const [document, transaction] = [randomUUID(), randomUUID()];
    await owner.query(`INSERT INTO document VALUES ($1, $2, 'sandbox', 'invoice', $3, $4, 1, now())`, [
      tenantId,
      document,
      `R-${position}`,
      transaction,
    ]);
    await owner.query(
      `INSERT INTO document_transaction
         (tenant_id, id, environment, document_id, submission_batch_id, position, attempt, document_type, reference_id,
          payload, totals, buyer_tin, on_behalf_of, wire_bytes_max, submission_status, authority_submission_id, parent_reference_id,
          held_until, due_at, created_at, updated_at)
       VALUES ($1, $2, 'sandbox', $3, $4, $5, 1, 'invoice', $6, '{}', '{}', 'C1', 'C1', 1, $7, $8, $9::text,
               CASE WHEN $9::text IS NOT NULL THEN now() + interval '7 days' END, now(), now(), now())`,
      [tenantId, transaction, document, batch, position, `R-${position}`, status, submission, parent],
    );
    if (position > 0) continue;
    await owner.query(
      `INSERT INTO document_cancellation
         (tenant_id, id, environment, document_id, transaction_id, reason, deadline_at, due_at, created_at, updated_at)
       VALUES ($1, $2, 'sandbox', $3, $4, 'x', now(), now(), now(), now())`,
      [tenantId, randomUUID(), document, transaction],
    );
  }
  await owner.query(
    `INSERT INTO tenant_queue (tenant_id, environment, operation, served_at, waiting_until, waiting_code)
     VALUES ($1, 'sandbox', 'submit', now(), now() + interval '1 hour', 'not_appointed')`,
    [tenantId],
  );
  await owner.query(
    `INSERT INTO call_budget (client_id, environment, api, next_at, blocked_until)
     VALUES ('client', 'sandbox', 'submit', now(), now())`,
  );
}
