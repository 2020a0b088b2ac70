import { Logger } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { accept, type ApiResponse, cancel, createTenant, get, readStatus, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

const HOUR_SECONDS = 3_600;
const JUMP_SECONDS = 2 * HOUR_SECONDS;
const AHEAD = `service_now() + interval '2 hours'`;

const logged = vi.spyOn(Logger.prototype, 'error');
const service = await startFileService({
  simulator: { duplicateRules: false },
  environment: { AUTHORITY_SANDBOX_RATE_FACTOR: '1' },
});
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await createTenant(service);
  logged.mockClear();
});

/** Moves only the service's clock. The authority's clock never moves back. */
async function setBack(seconds: number): Promise<void> {
  await service.owner.query('UPDATE service_clock SET offset_seconds = offset_seconds - $1', [seconds]);
}

async function submitInvoice(referenceId = reference()): Promise<string> {
  return (await accept(service, tenant, [invoice({ referenceId })])).submissionBatchId;
}

async function putOff(table: 'document_cancellation' | 'document_transaction'): Promise<void> {
  await service.owner.query(`UPDATE ${table} SET due_at = ${AHEAD} WHERE tenant_id = $1`, [tenant.tenantId]);
}

/** Runs all loops repeatedly while advancing the clock. */
async function work(seconds: number, stepSeconds = 61): Promise<void> {
  for (let passed = 0; passed < seconds; passed += stepSeconds) {
    for (const loop of service.loops) await service.tick(loop);
    await service.advance(stepSeconds);
  }
}

describe('a clock that is set back by two hours', () => {
  it('delays documents by at most the longest poll interval', async () => {
    await service.advance(JUMP_SECONDS);
    const sent = await submitInvoice();
    await service.tick('submit');
    const acceptedAhead = await submitInvoice();
    await setBack(JUMP_SECONDS);
    const acceptedAfter = await submitInvoice();
    await service.tick('housekeeping');
    await work(900);
    for (const batchId of [sent, acceptedAhead, acceptedAfter]) {
      expect((await readStatus(service, tenant, batchId)).status).toBe('Valid');
    }
  });

  it('requires an operator decision on a call in doubt with an unknown send time', async () => {
    const referenceId = reference();
    await service.control('settings', { searchLagMs: 100 * HOUR_SECONDS * 1_000 });
    await service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-after', times: 1 }]);
    await service.advance(JUMP_SECONDS);
    await submitInvoice(referenceId);
    await service.tick('submit');
    await setBack(JUMP_SECONDS);
    await work(5 * HOUR_SECONDS, 601);
    await service.control('settings', { searchLagMs: 0 });
    const [call] = await service.owner.query<object[]>(
      'SELECT state, sends, due_at FROM authority_submission WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    expect(call).toEqual({ state: 'unknown', sends: 1, due_at: null });
    expect((await service.wireLog()).filter(({ number }) => number === referenceId)).toHaveLength(1);
  });

  it('does not delay the lookup of a document that is missing from its submission', async () => {
    await service.advance(JUMP_SECONDS);
    await service.control('faults', [{ when: { api: 'submit' }, fault: 'unknown-submission-uid', times: 1 }]);
    const batchId = await submitInvoice();
    await service.tick('submit');
    await service.advance(61);
    await service.tick('poll');
    await setBack(JUMP_SECONDS);
    await work(HOUR_SECONDS);
    expect((await readStatus(service, tenant, batchId)).status).toBe('Valid');
  });

  it('delays a TIN check by at most the wait for its share of calls', async () => {
    const check = (): Promise<ApiResponse> =>
      get(service, tenant, '/v1/einvoice/validate-taxpayer-tin/C25845632020?idType=BRN&idValue=201901234567');
    await service.advance(JUMP_SECONDS);
    expect((await check()).status).toBe(200);
    await setBack(JUMP_SECONDS);
    await service.owner.query('DELETE FROM taxpayer_check');
    const { status, headers } = await check();
    expect([status, Number(headers.get('retry-after'))]).toEqual([503, expect.toSatisfy((seconds) => seconds <= 5)]);
    await service.tick('housekeeping');
    await service.advance(61);
    expect((await check()).status).toBe(200);
  });

  it('is logged with each kind of wait', async () => {
    await service.owner.query(
      `INSERT INTO call_budget (client_id, environment, api, next_at, blocked_until)
       VALUES ('another-client', 'sandbox', 'raw', service_now() + interval '2 hours', service_now())`,
    );
    await service.tick('housekeeping');
    expect(logged).toHaveBeenCalledExactlyOnceWith({
      message: "The database's clock was set back: stored waits were shortened to the longest wait of the service",
      kind: 'authority calls',
      waits: 1,
      longestSeconds: JUMP_SECONDS,
    });
    await service.tick('housekeeping');
    expect(logged).toHaveBeenCalledTimes(1);
  });
});

interface StoredWait {
  readonly kind: string;
  /** Stores a timestamp two hours ahead. $1 is the tenant, $2 a new id. */
  readonly store: string;
  /** The column of the stored row that holds the end of the wait. */
  readonly read: string;
  readonly longestSeconds: number;
}

const CALL = `tenant_id, id, environment, state, sent_at, sends, created_at, updated_at`;
const CALL_VALUES = `$1, $2, 'sandbox'`;
const LEASE_SECONDS = 10 + 60;

const STORED_WAITS: readonly StoredWait[] = [
  {
    kind: 'a slot of an authority API',
    store: `INSERT INTO call_budget (client_id, environment, api, next_at, blocked_until)
            VALUES ($1::text || $2::text, 'sandbox', 'submit', ${AHEAD}, service_now())`,
    read: `SELECT next_at AS until FROM call_budget WHERE client_id = $1::text || $2::text`,
    longestSeconds: 61,
  },
  {
    kind: 'a block of an authority API',
    store: `INSERT INTO call_budget (client_id, environment, api, next_at, blocked_until, blocked_since, blocked_reason)
            VALUES ($1::text || $2::text, 'sandbox', 'submit', service_now(), ${AHEAD}, ${AHEAD}, 'call_budget')`,
    read: `SELECT blocked_until AS until FROM call_budget WHERE client_id = $1::text || $2::text`,
    longestSeconds: 900,
  },
  {
    kind: 'the beginning of a block of an authority API',
    store: `INSERT INTO call_budget (client_id, environment, api, next_at, blocked_until, blocked_since, blocked_reason)
            VALUES ($1::text || $2::text, 'sandbox', 'login', service_now(), service_now(), ${AHEAD}, 'client_refused')`,
    read: `SELECT blocked_since AS until FROM call_budget WHERE client_id = $1::text || $2::text`,
    longestSeconds: 0,
  },
  {
    kind: 'the first row of an authority API',
    store: `INSERT INTO call_budget (client_id, environment, api, next_at, blocked_until)
            VALUES ($1::text || $2::text, 'sandbox', 'submit', service_now(), ${AHEAD})`,
    read: `SELECT blocked_until AS until FROM call_budget WHERE client_id = $1::text || $2::text`,
    longestSeconds: 0,
  },
  {
    kind: 'a share of an authority API',
    store: `INSERT INTO authority_share (holder, environment, api, next_at)
            VALUES ($1::text || $2::text, 'sandbox', 'validateTin', ${AHEAD})`,
    read: `SELECT next_at AS until FROM authority_share WHERE holder = $1::text || $2::text`,
    longestSeconds: 14,
  },
  {
    kind: 'a blocked tenant queue',
    store: `INSERT INTO tenant_queue (tenant_id, environment, operation, served_at, waiting_until, waiting_since, waiting_code)
            SELECT $1, 'sandbox', 'submit', service_now(), ${AHEAD}, ${AHEAD}, 'authority_unavailable' WHERE $2::uuid IS NOT NULL`,
    read: `SELECT waiting_until AS until FROM tenant_queue WHERE tenant_id = $1 AND $2::uuid IS NOT NULL`,
    longestSeconds: 30,
  },
  {
    kind: 'the beginning of a block of a tenant queue',
    store: `INSERT INTO tenant_queue (tenant_id, environment, operation, served_at, waiting_until, waiting_since, waiting_code)
            SELECT $1, 'sandbox', 'submit', service_now(), service_now(), ${AHEAD}, 'not_appointed' WHERE $2::uuid IS NOT NULL`,
    read: `SELECT waiting_since AS until FROM tenant_queue WHERE tenant_id = $1 AND $2::uuid IS NOT NULL`,
    longestSeconds: 0,
  },
  {
    kind: 'the time since which documents cannot be sent',
    store: `INSERT INTO tenant_queue (tenant_id, environment, operation, served_at, unconfigured_since)
            SELECT $1, 'sandbox', 'submit', service_now(), ${AHEAD} WHERE $2::uuid IS NOT NULL`,
    read: `SELECT unconfigured_since AS until FROM tenant_queue WHERE tenant_id = $1 AND $2::uuid IS NOT NULL`,
    longestSeconds: 0,
  },
  {
    kind: 'the turn of a tenant queue',
    store: `INSERT INTO tenant_queue (tenant_id, environment, operation, served_at)
            SELECT $1, 'sandbox', 'submit', ${AHEAD} WHERE $2::uuid IS NOT NULL`,
    read: `SELECT served_at AS until FROM tenant_queue WHERE tenant_id = $1 AND $2::uuid IS NOT NULL`,
    longestSeconds: 0,
  },
  {
    kind: 'the lease of a call',
    store: `INSERT INTO authority_submission (${CALL}, owner, lease_until)
            VALUES (${CALL_VALUES}, 'sending', service_now(), 1, service_now(), service_now(), $2, ${AHEAD})`,
    read: `SELECT lease_until AS until FROM authority_submission WHERE tenant_id = $1 AND id = $2`,
    longestSeconds: LEASE_SECONDS,
  },
  {
    kind: 'the lookup of a call in doubt',
    store: `INSERT INTO authority_submission (${CALL}, due_at)
            VALUES (${CALL_VALUES}, 'unknown', service_now(), 1, service_now(), service_now(), ${AHEAD})`,
    read: `SELECT due_at AS until FROM authority_submission WHERE tenant_id = $1 AND id = $2`,
    longestSeconds: 900,
  },
  {
    kind: 'the pause before a resend',
    store: `INSERT INTO authority_submission (${CALL}, due_at, resend_after)
            VALUES (${CALL_VALUES}, 'unknown', service_now(), 1, service_now(), service_now(), service_now(), ${AHEAD})`,
    read: `SELECT resend_after AS until FROM authority_submission WHERE tenant_id = $1 AND id = $2`,
    longestSeconds: 6_001,
  },
  {
    kind: 'the lookup of a call that became doubtful in the future',
    store: `INSERT INTO authority_submission (${CALL}, due_at)
            VALUES (${CALL_VALUES}, 'unknown', ${AHEAD}, 1, ${AHEAD}, ${AHEAD}, ${AHEAD})`,
    read: `SELECT due_at AS until FROM authority_submission WHERE tenant_id = $1 AND id = $2`,
    longestSeconds: 0,
  },
  {
    kind: 'the next poll after validation',
    store: `INSERT INTO authority_submission (${CALL}, due_at, submission_uid)
            VALUES (${CALL_VALUES}, 'accepted', service_now(), 1, service_now(), service_now(), ${AHEAD}, 'uid')`,
    read: `SELECT due_at AS until FROM authority_submission WHERE tenant_id = $1 AND id = $2`,
    longestSeconds: 4_320,
  },
  {
    kind: 'a login',
    store: `INSERT INTO authority_token (tenant_id, environment, client_id, on_behalf_of, login_owner, login_until)
            VALUES ($1, 'sandbox', 'client', 'C1', $2, ${AHEAD})`,
    read: `SELECT login_until AS until FROM authority_token WHERE tenant_id = $1 AND login_owner = $2`,
    longestSeconds: 60,
  },
  {
    kind: 'a blocked sign-in',
    store: `INSERT INTO sign_in_throttle (subject, tries, blocked_until, updated_at)
            VALUES ($1::text || $2::text, 9, ${AHEAD}, service_now())`,
    read: `SELECT blocked_until AS until FROM sign_in_throttle WHERE subject = $1::text || $2::text`,
    longestSeconds: 900,
  },
  {
    kind: 'the first counted sign-in',
    store: `INSERT INTO sign_in_throttle (subject, tries, blocked_until, updated_at)
            VALUES ($1::text || $2::text, 1, ${AHEAD}, ${AHEAD})`,
    read: `SELECT blocked_until AS until FROM sign_in_throttle WHERE subject = $1::text || $2::text`,
    longestSeconds: 0,
  },
  {
    kind: 'the retry of an event',
    store: `WITH consumer AS (
              INSERT INTO event_consumer (name, registered_at) VALUES ($2::uuid::text, service_now()) RETURNING name)
            INSERT INTO event_delivery (tenant_id, consumer, document_id, event_id, transaction_id, version, at, due_at)
            SELECT $1, name, $2, 1, $2, 1, service_now(), ${AHEAD} FROM consumer`,
    read: `SELECT due_at AS until FROM event_delivery WHERE tenant_id = $1 AND document_id = $2`,
    longestSeconds: 3_600,
  },
  {
    kind: 'the first delivery of an event',
    store: `WITH consumer AS (
              INSERT INTO event_consumer (name, registered_at) VALUES ($2::uuid::text, service_now()) RETURNING name)
            INSERT INTO event_delivery (tenant_id, consumer, document_id, event_id, transaction_id, version, at, due_at)
            SELECT $1, name, $2, 1, $2, 1, ${AHEAD}, ${AHEAD} FROM consumer`,
    read: `SELECT due_at AS until FROM event_delivery WHERE tenant_id = $1 AND document_id = $2`,
    longestSeconds: 0,
  },
  {
    kind: 'a bulk job',
    store: `INSERT INTO bulk_job (tenant_id, id, environment, kind, field, value, is_cut, status, user_id, created_at, due_at)
            VALUES ($1, $2, 'sandbox', 'correct', '/recipient/city', 'Ipoh', false, 'running', $2, service_now(), ${AHEAD})`,
    read: `SELECT due_at AS until FROM bulk_job WHERE tenant_id = $1 AND id = $2`,
    longestSeconds: 900,
  },
  {
    kind: 'a session',
    store: `WITH person AS (
              INSERT INTO user_account (id, email, name, password_hash, is_operator, created_at)
              SELECT $2, $2::uuid || '@kedai.example', 'Siti', '', false, service_now() WHERE $1::uuid IS NOT NULL RETURNING id)
            INSERT INTO user_session (id, user_id, digest, ip, user_agent, created_at, last_seen_at, expires_at)
            SELECT id, id, uuid_send(id), '127.0.0.1', 'test', service_now(), ${AHEAD}, ${AHEAD} FROM person`,
    read: `SELECT last_seen_at AS until FROM user_session WHERE id = $2 AND $1::uuid IS NOT NULL`,
    longestSeconds: 0,
  },
  {
    kind: 'the instant at which a search after a restore begins',
    store: `UPDATE database_server SET seen_at = ${AHEAD} WHERE $1::uuid <> $2::uuid`,
    read: `SELECT seen_at AS until FROM database_server WHERE $1::uuid <> $2::uuid`,
    longestSeconds: 0,
  },
  {
    kind: 'a periodic task',
    store: `INSERT INTO housekeeping_task (name, last_run_at) VALUES ($1::text || $2::text, ${AHEAD})`,
    read: `SELECT last_run_at AS until FROM housekeeping_task WHERE name = $1::text || $2::text`,
    longestSeconds: 0,
  },
];

describe('housekeeping after the clock was set back', () => {
  it('limits the wait of a cancellation to its lease', async () => {
    const batchId = await submitInvoice();
    await work(300);
    const { documents } = await readStatus(service, tenant, batchId);
    await cancel(service, tenant, { documentId: documents[0].documentId });
    await putOff('document_cancellation');
    await service.tick('housekeeping');
    await service.advance(LEASE_SECONDS);
    await service.tick('cancel');
    const [cancelled] = (await readStatus(service, tenant, batchId)).documents;
    expect(cancelled.cancellation).toMatchObject({ status: 'Completed' });
  });

  it('keeps the send time of a call in doubt', async () => {
    const key = [tenant.tenantId, uuidv7()];
    await service.owner.query(
      `INSERT INTO authority_submission (${CALL}, due_at)
       VALUES (${CALL_VALUES}, 'unknown', ${AHEAD}, 1, ${AHEAD}, ${AHEAD}, service_now())`,
      key,
    );
    const read = (): Promise<object[]> =>
      service.owner.query('SELECT sent_at, updated_at FROM authority_submission WHERE tenant_id = $1 AND id = $2', key);
    const before = await read();
    await service.tick('housekeeping');
    expect(await read()).toEqual(before);
  });

  it('limits the wait of a postponed document to an hour', async () => {
    const batchId = await submitInvoice();
    await putOff('document_transaction');
    await service.tick('housekeeping');
    await service.advance(HOUR_SECONDS);
    await work(600);
    expect((await readStatus(service, tenant, batchId)).status).toBe('Valid');
  });

  it.each(STORED_WAITS.map((wait) => [wait.kind, wait.longestSeconds, wait] as const))(
    'limits %s to %i seconds',
    async (_kind, longestSeconds, { store, read }) => {
      const key = [tenant.tenantId, uuidv7()];
      await service.owner.query(store, key);
      await service.tick('housekeeping');
      const [{ seconds }] = await service.owner.query<[{ seconds: number }]>(
        `SELECT extract(epoch FROM until - service_now())::float8 AS seconds FROM (${read}) stored`,
        key,
      );
      // Some of the time has already passed.
      expect(seconds).toBeLessThanOrEqual(longestSeconds);
      expect(seconds).toBeGreaterThan(longestSeconds - 60);
    },
  );
});
