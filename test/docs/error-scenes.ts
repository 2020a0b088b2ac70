import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { CreditLedger } from '../../src/credits/credit-ledger.js';
import type { ErrorCode } from '../../src/errors/error-codes.js';
import { EXAMPLE_ID, type ExampleRequest, ERROR_EXAMPLES, NOTE_ID } from '../../site/error-examples.js';
import { type ApiResponse, createKey, createTenant, submit, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { openConnection } from '../support/raw-connection.js';
import { rawRequest } from '../support/raw-http.js';
import { TestService } from '../support/service.js';
import { verify } from '../support/tenants.js';
import { until } from '../support/until.js';

/** Setup for an example on an error page. */
export interface Scene {
  readonly service: TestService;
  readonly tenant: TestTenant;
  /** Values that replace the placeholders on the page. */
  readonly replacements?: Readonly<Record<string, string>>;
  /** Replaces the sending of the first request. */
  readonly meet?: (request: ExampleRequest) => Promise<ApiResponse>;
  /** Makes the change that the page describes between the requests. */
  readonly change?: () => Promise<unknown>;
}

type Stage = (service: TestService) => Promise<Scene>;

const LIVE_KEY = 'eisk_live_…';
const TEST_KEY = 'eisk_test_…';

export function sendExample(
  { service, tenant, replacements = {} }: Scene,
  { line, headers = {}, body }: ExampleRequest,
): Promise<ApiResponse> {
  const all = { [TEST_KEY]: tenant.apiKey, ...replacements };
  const replace = (text: string): string =>
    Object.entries(all).reduce((whole, [shown, sent]) => whole.replaceAll(shown, sent), text);
  const [method = '', path = ''] = replace(line).split(' ');
  const text = body === undefined ? undefined : replace(typeof body === 'object' ? JSON.stringify(body) : body);
  const sent = Object.entries({
    'X-API-Key': TEST_KEY,
    ...(text === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...headers,
  }).flatMap(([name, value]) => (value === '' ? [] : [[name, replace(value)] as const]));
  return rawRequest(service, { method, path, headers: sent, ...(text === undefined ? {} : { body: text }) });
}

export async function stage(code: string, service: TestService): Promise<Scene> {
  const prepare = SCENES[code as ErrorCode];
  return prepare === undefined ? { service, tenant: await createTenant(service) } : prepare(service);
}

/** Submits the document of the examples and replaces the ids in them with real ids. */
async function submitMonth(service: TestService): Promise<Scene> {
  const scene = { service, tenant: await createTenant(service) };
  const { before } = ERROR_EXAMPLES.internal_error;
  const { body } = await sendExample(scene, { ...before, headers: { 'idempotency-key': randomUUID() } });
  return {
    ...scene,
    replacements: {
      [`"documentId":"${EXAMPLE_ID}"`]: `"documentId":"${body.documents[0].documentId}"`,
      [EXAMPLE_ID]: body.submissionBatchId as string,
    },
  };
}

async function issueMonth(service: TestService): Promise<Scene> {
  const scene = await submitMonth(service);
  await service.settle();
  return scene;
}

/** Locks the tenant's credit account, which blocks its submits. */
async function holdAccount(service: TestService, { tenantId }: TestTenant) {
  const holder = service.owner.createQueryRunner();
  await holder.startTransaction();
  await holder.query('SELECT FROM credit_account WHERE tenant_id = $1 FOR UPDATE', [tenantId]);
  return {
    blocked: () => service.blockedBy(holder),
    async release(): Promise<void> {
      await holder.rollbackTransaction();
      await holder.release();
    },
  };
}

/** Sends the headers of a request but not its body. */
async function announceBody(scene: Scene, length: number): Promise<ApiResponse> {
  const connection = openConnection(scene.service);
  connection.begin('POST', '/api/v1/einvoice/submit', {
    'X-API-Key': scene.tenant.apiKey,
    'Content-Type': 'application/json',
    'idempotency-key': randomUUID(),
    'Content-Length': length,
  });
  const response = await connection.response();
  connection.destroy();
  return response;
}

async function withFault(service: TestService, fault: string): Promise<Scene> {
  await service.control('faults', [{ when: { api: 'validateTin' }, fault, times: 1 }]);
  return { service, tenant: await createTenant(service), change: () => service.advance(120) };
}

/** Time for which a readiness result is cached. */
async function readiness(service: TestService, { spoil, repair }: { spoil: string; repair: string }): Promise<Scene> {
  const scene = { service, tenant: await createTenant(service) };
  const waitFor = async (status: number): Promise<ApiResponse> => {
    let response = await sendExample(scene, ERROR_EXAMPLES.disk_full.before);
    await until(`readiness is ${status}`, async () => {
      if (response.status === status) return true;
      response = await sendExample(scene, ERROR_EXAMPLES.disk_full.before);
      return false;
    });
    return response;
  };
  await waitFor(200);
  await service.owner.query(spoil);
  return {
    ...scene,
    meet: () => waitFor(503),
    change: async () => {
      await service.owner.query(repair);
      await waitFor(200);
    },
  };
}

const withSpoiltKey =
  (statement: string): Stage =>
  async (service) => {
    const tenant = await createTenant(service);
    await service.owner.query(statement, [tenant.tenantId]);
    const replacements = { [TEST_KEY]: tenant.apiKey };
    return {
      service,
      tenant,
      replacements,
      change: async () => {
        replacements[TEST_KEY] = await createKey(service, tenant.tenantId);
      },
    };
  };

/** Setups for errors that need more than a new organisation. */
export const SCENES: Partial<Record<ErrorCode, Stage>> = {
  supplier_profile_incomplete: async (service) => {
    const tenant = await createTenant(service, { profile: { msic: null } });
    const change = () =>
      service.owner.query(`UPDATE tenant SET msic = '46510' WHERE tenant_id = $1`, [tenant.tenantId]);
    return { service, tenant, change };
  },
  supplier_not_verified: async (service) => {
    const tenant = await createTenant(service, { isVerified: false });
    return { service, tenant, change: () => verify(service.owner, tenant.tenantId) };
  },
  submission_batch_id_invalid: submitMonth,
  api_key_expired: withSpoiltKey(
    `UPDATE api_key SET expires_at = service_now() - interval '1 day' WHERE tenant_id = $1`,
  ),
  api_key_revoked: withSpoiltKey('UPDATE api_key SET revoked_at = service_now() WHERE tenant_id = $1'),
  api_key_wrong_environment: async (service) => {
    const tenant = await createTenant(service);
    return { service, tenant, replacements: { [LIVE_KEY]: await createKey(service, tenant.tenantId, 'production') } };
  },
  insufficient_credits: async (service) => {
    const tenant = await createTenant(service, { credits: 0 });
    const change = () => new CreditLedger(service.owner).grant({ tenantId: tenant.tenantId, credits: 1 });
    return { service, tenant, change };
  },
  document_not_found: issueMonth,
  malformed_request: async (service) => ({
    service,
    tenant: await createTenant(service),
    meet: async ({ line }) => {
      const connection = openConnection(service);
      connection.write(`${line}\r\n\r\n`);
      const response = await connection.response();
      connection.destroy();
      return response;
    },
  }),
  duplicate_document: submitMonth,
  idempotency_key_in_progress: async (service) => {
    const scene = { service, tenant: await createTenant(service) };
    const account = await holdAccount(service, scene.tenant);
    const { before } = ERROR_EXAMPLES.idempotency_key_in_progress;
    const first = sendExample(scene, before);
    await account.blocked();
    return {
      ...scene,
      change: async () => {
        await account.release();
        await first;
      },
    };
  },
  document_not_valid: async (service) => ({ ...(await submitMonth(service)), change: () => service.settle() }),
  cancellation_in_progress: async (service) => {
    const scene = await issueMonth(service);
    const { before } = ERROR_EXAMPLES.cancellation_in_progress;
    await sendExample(scene, { ...before, headers: { 'idempotency-key': randomUUID() } });
    return scene;
  },
  cancellation_window_closed: async (service) => {
    const scene = await issueMonth(service);
    await service.advance(73 * 3_600);
    return scene;
  },
  active_referencing_documents: async (service) => {
    const scene = await issueMonth(service);
    const { body } = await sendExample(scene, ERROR_EXAMPLES.cancellation_window_closed.after);
    await service.settle();
    return { ...scene, replacements: { ...scene.replacements, [NOTE_ID]: body.documents[0].documentId as string } };
  },
  body_too_large: async (service) => {
    const scene = { service, tenant: await createTenant(service) };
    return { ...scene, meet: () => announceBody(scene, 11 * 1024 * 1024) };
  },
  headers_too_large: async (service) => {
    const scene = { service, tenant: await createTenant(service) };
    const meet = (request: ExampleRequest): Promise<ApiResponse> =>
      sendExample(scene, { ...request, headers: { ...request.headers, Cookie: 'x'.repeat(100_000) } });
    return { ...scene, meet };
  },
  too_many_concurrent_requests: async (service) => {
    const scene = { service, tenant: await createTenant(service) };
    const account = await holdAccount(service, scene.tenant);
    const others = Array.from({ length: 40 }, () => submit(service, scene.tenant, [invoice()]));
    await account.blocked();
    return {
      ...scene,
      change: async () => {
        await account.release();
        await Promise.all(others);
      },
    };
  },
  internal_error: async (service) => {
    await service.owner.query('ALTER TABLE document_transaction RENAME TO document_transaction_away');
    const change = () => service.owner.query('ALTER TABLE document_transaction_away RENAME TO document_transaction');
    return { service, tenant: await createTenant(service), change };
  },
  service_unavailable: async (service) => {
    const scene = { service, tenant: await createTenant(service) };
    const account = await holdAccount(service, scene.tenant);
    return {
      ...scene,
      meet: async (request) => {
        const response = sendExample(scene, request);
        const app = new pg.Client({ connectionString: service.database.appUrl });
        await app.connect();
        // Waits until the process has exited and released its locks.
        await app.query('SELECT pg_terminate_backend($1, 60000)', [await account.blocked()]);
        await app.end();
        return response;
      },
      change: () => account.release(),
    };
  },
  not_appointed: async (service) => {
    const tenant = await createTenant(service);
    const [{ tin }] = await service.owner.query<{ tin: string }[]>('SELECT tin FROM tenant WHERE tenant_id = $1', [
      tenant.tenantId,
    ]);
    await service.control('taxpayers', { tin, appointed: false });
    const change = async (): Promise<void> => {
      await service.control('taxpayers', { tin, appointed: true });
      await service.advance(3_600);
    };
    return { service, tenant, change };
  },
  call_budget: (service) => withFault(service, '429-seconds'),
  authority_unavailable: (service) => withFault(service, 'http-503'),
  database_unavailable: (service) =>
    readiness(service, {
      spoil: 'REVOKE SELECT ON schema_migration FROM einvoice_app',
      repair: 'GRANT SELECT ON schema_migration TO einvoice_app',
    }),
  disk_full: async (service) => {
    const [{ definition }] = await service.owner.query<{ definition: string }[]>(
      `SELECT pg_get_functiondef('oldest_queued_seconds'::regproc) AS definition`,
    );
    const spoil = `CREATE OR REPLACE FUNCTION oldest_queued_seconds() RETURNS double precision LANGUAGE plpgsql STABLE
       SECURITY DEFINER SET search_path = public, pg_temp
       AS $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100'; END $$`;
    return readiness(service, { spoil, repair: definition });
  },
  migrations_missing: (service) =>
    readiness(service, {
      spoil: `UPDATE schema_migration SET name = 'Another' || name WHERE name LIKE 'Baseline%'`,
      repair: `UPDATE schema_migration SET name = replace(name, 'Another', '')`,
    }),
};

/** Setups that start another service and stop it. */
export const OTHER_SERVICES: Partial<Record<ErrorCode, () => Promise<Scene>>> = {
  submission_batch_not_found: async () => {
    const service = await TestService.start({ environments: ['sandbox', 'production'] });
    const scene = await submitMonth(service);
    const liveKey = await createKey(service, scene.tenant.tenantId, 'production');
    return { ...scene, replacements: { ...scene.replacements, [LIVE_KEY]: liveKey } };
  },
  rate_limited: async () => {
    const service = await TestService.start({ environment: { RATE_LIMIT_REQUESTS_PER_MINUTE: '20' } });
    const scene = await submitMonth(service);
    const { before } = ERROR_EXAMPLES.rate_limited;
    const meet = async (): Promise<ApiResponse> => {
      let response = await sendExample(scene, before);
      await until('the limit is used up', async () => {
        if (response.status === 429) return true;
        response = await sendExample(scene, before);
        return false;
      });
      return response;
    };
    const change = async (): Promise<void> => {
      await service.advance(120);
      await until('there is room again', async () => (await sendExample(scene, before)).status === 200);
    };
    return { ...scene, meet, change };
  },
};

/** Reasons why an error is not tested here. */
export const NOT_SENT: Readonly<Partial<Record<ErrorCode, string>>> = {
  bad_request: 'only later versions of the framework return it',
  large_body_share_exceeded: 'needs 16 MB under way: test/neighbours/body-room.check.ts',
  too_many_large_bodies: 'needs 32 MB of two organisations under way: test/neighbours/body-room.check.ts',
  request_timeout: 'takes 30 seconds: test/neighbours/body-room.check.ts',
  large_body_not_processed: 'needs a lost thread: test/submission/large-bodies-in-workers.check.ts',
};
