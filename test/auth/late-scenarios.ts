import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { createSecret, digestSecret } from '../../src/accounts/secrets.js';
import type { OrderDto } from '../../src/dashboard-api/credits/dto/credits.dto.js';
import { insertBulkJob } from '../support/bulk-jobs.js';
import { accept, createTenant, issue, submit } from '../support/client.js';
import { PASSWORD } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { endLookups } from '../support/lookups.js';
import { completeProfile, newEmail, organisation } from '../support/people.js';
import { checkAppointment } from '../support/onboarding.js';
import type { TestService } from '../support/service.js';
import { insertKey, type TestTenant } from '../support/tenants.js';
import { type Access, createSubject, type Organisation, type Subject } from './late-access.js';

/** An organisation with the documents that the operations need. */
export interface Stage extends Organisation {
  readonly tenant: TestTenant;
  /** Documents that can be cancelled. */
  readonly validIds: readonly string[];
  /** The attempt of an invalid document. */
  readonly failedId: string;
  /** A submission whose response was lost, and its document at the authority. */
  readonly doubt: { readonly submissionId: string; readonly referenceId: string; readonly authorityUuid: string };
  readonly bulkJobId: string;
  /**
   * Creates a row shared by all requests of a scenario, because rejected requests leave it unchanged.
   */
  once<T>(name: string, make: () => Promise<T>): Promise<T>;
}

/** A request without its credentials. */
export interface Call {
  /** Parameters of the path; the organisation and the sandbox unless given. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** A statement that locks a row, and its parameter. */
export type Lock = readonly [statement: string, ...parameters: string[]];

export interface Scenario {
  readonly operation: string;
  /** Name, if an operation has several scenarios. */
  readonly variant?: 'replay' | 'dry run';
  readonly access: Access;
  /** Whether the short run also tests all ways. */
  readonly isCritical?: true;
  readonly prepare: (stage: Stage, subject: Subject) => Promise<Call> | Call;
  /** A row that the operation waits for in its database transaction, after its access was checked. */
  readonly lock?: (stage: Stage, subject: Subject, call: Call) => Lock;
}

const VALID_DOCUMENTS = 4;

/** @param service with tokens that are valid longer than the lookups of a lost response */
export async function createStage(service: TestService): Promise<Stage> {
  const { browser, userId, tenantId, path } = await organisation(service);
  await completeProfile(service, tenantId, 1_000);
  const tenant = { tenantId, apiKey: await insertKey(service.owner, tenantId) };
  const valid = Array.from({ length: VALID_DOCUMENTS }, () => invoice());
  const { documents } = await issue(service, tenant, ...valid, invoice({ referenceId: 'SIM-INVALID-CF358-1' }));
  const made = new Map<string, Promise<unknown>>();
  return {
    service,
    tenantId,
    path,
    owner: { browser, userId },
    tenant,
    validIds: documents.slice(0, VALID_DOCUMENTS).map(({ documentId }) => documentId),
    failedId: documents[VALID_DOCUMENTS].transactionId,
    doubt: await createDoubt(service, tenant),
    bulkJobId: await insertBulkJob(service, tenantId),
    once<T>(name: string, make: () => Promise<T>) {
      const known = made.get(name) ?? make();
      made.set(name, known);
      return known as Promise<T>;
    },
  };
}

async function createDoubt(service: TestService, tenant: TestTenant): Promise<Stage['doubt']> {
  await service.control('settings', { searchLagMs: 100 * 3_600_000 });
  const { documents } = await accept(service, tenant, [invoice()]);
  const [{ referenceId }] = documents;
  await service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-after', times: 1 }]);
  await service.tick('submit');
  await endLookups(service);
  const [{ id }] = await service.owner.query<{ id: string }[]>(
    `SELECT id FROM authority_submission WHERE tenant_id = $1 AND state = 'unknown'`,
    [tenant.tenantId],
  );
  const authorityUuid = (await service.wireLog()).find(({ number }) => number === referenceId)?.uuid ?? '';
  return { submissionId: id, referenceId, authorityUuid };
}

const newKey = (): Record<string, string> => ({ 'idempotency-key': randomUUID() });
const toSubmitBody = (documents = [invoice()]): object => ({ submission_type: 'non-consolidated', documents });

const lockTenant = ({ tenantId }: Stage): Lock => ['SELECT FROM tenant WHERE tenant_id = $1 FOR UPDATE', tenantId];
const lockCredits = ({ tenantId }: Stage): Lock => [
  'SELECT FROM credit_account WHERE tenant_id = $1 FOR UPDATE',
  tenantId,
];
const lockUser = (_: Stage, { userId }: Subject): Lock => ['SELECT FROM user_account WHERE id = $1 FOR UPDATE', userId];
const lockFailed = ({ failedId }: Stage): Lock => [
  'SELECT FROM failed_document WHERE transaction_id = $1 FOR UPDATE',
  failedId,
];
// A change of members locks the owners first, in the order of their ids.
const lockOwner = ({ owner }: Stage): Lock => ['SELECT FROM membership WHERE user_id = $1 FOR UPDATE', owner.userId];
const lockRow =
  (table: string, parameter: string, column = 'id') =>
  (_: Stage, __: Subject, { parameters }: Call): Lock => [
    `SELECT FROM ${table} WHERE ${column} = $1 FOR UPDATE`,
    parameters?.[parameter] ?? '',
  ];

/** A submit whose idempotency key has a response. */
async function submitOnce({ service, tenant }: Stage): Promise<Call> {
  const [documents, headers] = [[invoice()], newKey()];
  const { status, text } = await submit(service, tenant, documents, { headers });
  if (status !== 200) throw new Error(`Submit: ${status} ${text}`);
  return { headers, body: toSubmitBody(documents) };
}

/** A cancellation, by the dashboard or with the key, whose idempotency key has a response. */
async function cancelOnce({ service, tenant, owner, path }: Stage, documentId: string, by: Access): Promise<Call> {
  const headers = newKey();
  if (by === 'member') {
    const call = { parameters: { documentId }, headers, body: {} };
    const response = await owner.browser.post(`${path}/sandbox/documents/${documentId}/cancel`, {}, { headers });
    if (response.status !== 202) throw new Error(`Cancel: ${response.status} ${response.text}`);
    return call;
  }
  const response = await fetch(`${service.url}/v1/einvoice/cancel`, {
    method: 'POST',
    headers: { 'X-API-Key': tenant.apiKey, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ documentId }),
  });
  if (response.status !== 202) throw new Error(`Cancel: ${response.status} ${await response.text()}`);
  return { headers, body: { documentId } };
}

function createOrder({ owner, path, once }: Stage, operation: string): Promise<string> {
  return once(operation, async () => {
    const { status, body, text } = await owner.browser.post<OrderDto>(`${path}/credits/orders`, { credits: 10 });
    if (status !== 201) throw new Error(`Order: ${status} ${text}`);
    return body.orderId;
  });
}

async function createKeyRow(stage: Stage, operation: string): Promise<Call> {
  const { keyId } = await stage.once(operation, () => createSubject(stage, 'key'));
  return { parameters: { keyId } };
}

async function createColleague(stage: Stage, operation: string): Promise<Call> {
  const { userId } = await stage.once(operation, () => createSubject(stage, 'member'));
  return { parameters: { userId } };
}

async function insertInvitation({ service, tenantId, owner }: Stage, email: string) {
  const [invitationId, secret] = [uuidv7(), createSecret()];
  await service.owner.query(
    `INSERT INTO invitation (tenant_id, id, email, role, digest, invited_by, created_at, expires_at)
     VALUES ($1, $2, $3, 'member', $4, $5, service_now(), service_now() + interval '1 day')`,
    [tenantId, invitationId, email, digestSecret(secret), owner.userId],
  );
  return { invitationId, secret };
}

async function setBulkJob({ service, bulkJobId }: Stage, status: string): Promise<Call> {
  await service.owner.query('UPDATE bulk_job SET status = $2 WHERE id = $1', [bulkJobId, status]);
  await service.owner.query(`UPDATE bulk_job_item SET state = 'ready' WHERE job_id = $1`, [bulkJobId]);
  return { parameters: { jobId: bulkJobId } };
}

async function setDismissed({ service, failedId }: Stage, isDismissed: boolean): Promise<void> {
  await service.owner.query(
    `UPDATE failed_document SET (dismissed_at, dismissed_by, dismissal_reason) =
            (SELECT service_now(), id, 'Paper' FROM user_account WHERE $2 LIMIT 1) WHERE transaction_id = $1`,
    [failedId, isDismissed],
  );
}

const CONSUMER = 'accounting-export';

async function insertDeadLetter({ service, tenantId, failedId }: Stage): Promise<void> {
  await service.owner.query('INSERT INTO event_consumer VALUES ($1, service_now())', [CONSUMER]);
  await service.owner.query(
    `INSERT INTO event_delivery (tenant_id, consumer, document_id, event_id, transaction_id, version, at, due_at, dead_at)
     SELECT tenant_id, $2, document_id, 1, id, version, service_now(), 'infinity', service_now()
       FROM document_transaction WHERE tenant_id = $1 AND id = $3`,
    [tenantId, CONSUMER, failedId],
  );
}

function createUnverified({ service, once }: Stage, operation: string, tin: string) {
  const identity = { tin, idType: 'BRN', idValue: '201901234567' };
  const profile = { tin, id_type: identity.idType, id_value: identity.idValue };
  return once(operation, async () => {
    const { tenantId } = await createTenant(service, { isVerified: false, profile });
    return { parameters: { tenantId }, seen: { ...identity, status: 'unverified' } };
  });
}

const WITH_KEY: readonly Scenario[] = [
  {
    operation: 'submit',
    access: 'key',
    isCritical: true,
    prepare: () => ({ headers: newKey(), body: toSubmitBody() }),
    lock: lockCredits,
  },
  { operation: 'submit', variant: 'replay', access: 'key', prepare: submitOnce },
  { operation: 'submitDryRun', variant: 'dry run', access: 'key', prepare: () => ({ body: toSubmitBody() }) },
  {
    operation: 'cancel',
    access: 'key',
    prepare: ({ validIds: [documentId] }) => ({ headers: newKey(), body: { documentId } }),
    lock: lockCredits,
  },
  {
    operation: 'cancel',
    variant: 'replay',
    access: 'key',
    prepare: (stage) => stage.once('cancel', () => cancelOnce(stage, stage.validIds[1], 'key')),
  },
];

const OF_MEMBERS: readonly Scenario[] = [
  {
    operation: 'submitDocuments',
    access: 'member',
    isCritical: true,
    prepare: () => ({ headers: newKey(), body: toSubmitBody() }),
    lock: lockCredits,
  },
  { operation: 'submitDocuments', variant: 'replay', access: 'member', prepare: submitOnce },
  { operation: 'checkDocuments', variant: 'dry run', access: 'member', prepare: () => ({ body: toSubmitBody() }) },
  {
    operation: 'cancelDocument',
    access: 'member',
    prepare: ({ validIds }) => ({ parameters: { documentId: validIds[2] }, headers: newKey(), body: {} }),
    lock: lockCredits,
  },
  {
    operation: 'cancelDocument',
    variant: 'replay',
    access: 'member',
    prepare: (stage) => stage.once('cancelDocument', () => cancelOnce(stage, stage.validIds[3], 'member')),
  },
  {
    operation: 'checkAppointment',
    access: 'member',
    async prepare({ owner, tenantId, once }) {
      // Later checks reuse the token, so they write no row before they wait for the lock.
      await once('checkAppointment', () => checkAppointment({ browser: owner.browser, tenantId, email: '' }));
      return {};
    },
    lock: ({ tenantId }) => ['SELECT FROM tenant WHERE tenant_id = $1 FOR KEY SHARE', tenantId],
  },
  {
    operation: 'dismissDocuments',
    access: 'member',
    async prepare(stage) {
      await setDismissed(stage, false);
      return { body: { documents: [{ transactionId: stage.failedId }], reason: 'Paper' } };
    },
    lock: lockFailed,
  },
  {
    operation: 'takeBackDismissal',
    access: 'member',
    async prepare(stage) {
      await setDismissed(stage, true);
      return { parameters: { transactionId: stage.failedId } };
    },
    lock: lockFailed,
  },
  {
    operation: 'checkTin',
    access: 'member',
    prepare: () => ({ body: { tin: 'C9876543210', idType: 'BRN', idValue: '202001234567' } }),
  },
  {
    operation: 'createBulkJob',
    access: 'member',
    prepare: ({ failedId }) => ({
      body: {
        kind: 'correct',
        field: '/recipient/tin',
        value: 'C5555555550',
        documents: [{ transactionId: failedId }],
      },
    }),
    lock: lockTenant,
  },
  {
    operation: 'startBulkJob',
    access: 'member',
    prepare: (stage) => setBulkJob(stage, 'checked'),
    lock: lockRow('bulk_job', 'jobId'),
  },
  {
    operation: 'pauseBulkJob',
    access: 'member',
    prepare: (stage) => setBulkJob(stage, 'running'),
    lock: lockRow('bulk_job', 'jobId'),
  },
  {
    operation: 'createKey',
    access: 'member',
    prepare: () => ({ body: { name: 'ERP', environment: 'sandbox' } }),
    lock: lockTenant,
  },
  {
    operation: 'rotateKey',
    access: 'member',
    prepare: async (stage) => ({ ...(await createKeyRow(stage, 'rotateKey')), body: { overlapHours: 24 } }),
    lock: lockRow('api_key', 'keyId'),
  },
  {
    operation: 'revokeKey',
    access: 'member',
    prepare: (stage) => createKeyRow(stage, 'revokeKey'),
    lock: lockRow('api_key', 'keyId'),
  },
  {
    operation: 'orderCredits',
    access: 'member',
    isCritical: true,
    prepare: () => ({ body: { credits: 10 } }),
    lock: lockTenant,
  },
  {
    operation: 'cancelCreditOrder',
    access: 'member',
    prepare: async (stage) => ({ parameters: { orderId: await createOrder(stage, 'cancelCreditOrder') } }),
    lock: lockRow('credit_order', 'orderId'),
  },
  { operation: 'leaveOrganisation', access: 'viewer', prepare: () => ({}), lock: lockOwner },
];

const OF_OWNERS: readonly Scenario[] = [
  {
    operation: 'changeProfile',
    access: 'owner',
    isCritical: true,
    prepare: () => ({ body: { city: 'Shah Alam' } }),
    lock: lockTenant,
  },
  {
    operation: 'changeRole',
    access: 'owner',
    prepare: async (stage) => ({ ...(await createColleague(stage, 'changeRole')), body: { role: 'viewer' } }),
    lock: lockOwner,
  },
  {
    operation: 'removeMember',
    access: 'owner',
    prepare: (stage) => createColleague(stage, 'removeMember'),
    lock: lockOwner,
  },
  {
    operation: 'invite',
    access: 'owner',
    isCritical: true,
    prepare: () => ({ body: { email: newEmail(), role: 'owner' } }),
    lock: lockTenant,
  },
  {
    operation: 'revokeInvitation',
    access: 'owner',
    async prepare(stage) {
      const { invitationId } = await stage.once('revokeInvitation', () => insertInvitation(stage, newEmail()));
      return { parameters: { invitationId } };
    },
    lock: lockRow('invitation', 'invitationId'),
  },
];

const OF_USERS: readonly Scenario[] = [
  {
    operation: 'acceptInvitation',
    access: 'user',
    async prepare(stage, { email }) {
      const { secret } = await insertInvitation(stage, email);
      return { body: { secret } };
    },
    lock: lockTenant,
  },
  // Ending a session confirms the access before locking other rows, so only its first check can be delayed.
  { operation: 'signOut', access: 'user', prepare: () => ({}), lock: lockUser },
  {
    operation: 'endSession',
    access: 'user',
    prepare: (_, { otherSessionId }) => ({ parameters: { sessionId: otherSessionId } }),
    lock: lockUser,
  },
  { operation: 'endOtherSessions', access: 'user', prepare: () => ({}), lock: lockUser },
  {
    operation: 'changePassword',
    access: 'user',
    prepare: () => ({ body: { current: PASSWORD, next: 'a late long passphrase' } }),
  },
  { operation: 'renameAccount', access: 'user', prepare: () => ({ body: { name: 'Badrul Amin' } }) },
];

const OF_OPERATORS: readonly Scenario[] = [
  {
    operation: 'changeRateLimits',
    access: 'operator',
    prepare: () => ({ body: { requests: 3_000 } }),
    lock: lockTenant,
  },
  {
    operation: 'confirmCreditOrder',
    access: 'operator',
    prepare: async (stage) => ({ parameters: { orderId: await createOrder(stage, 'confirmCreditOrder') }, body: {} }),
    lock: lockCredits,
  },
  {
    operation: 'refuseCreditOrder',
    access: 'operator',
    prepare: async (stage) => ({
      parameters: { orderId: await createOrder(stage, 'refuseCreditOrder') },
      body: { reason: 'Not paid' },
    }),
    lock: lockRow('credit_order', 'orderId'),
  },
  {
    operation: 'retryTenantQueues',
    access: 'operator',
    async prepare({ service, tenantId }) {
      await service.owner.query(
        `UPDATE tenant_queue SET waiting_until = service_now() + interval '1 hour', waiting_since = service_now(),
                waiting_code = 'not_appointed', failures = 3 WHERE tenant_id = $1`,
        [tenantId],
      );
      return { body: { tenantId } };
    },
    lock: ({ tenantId }) => ['SELECT FROM tenant_queue WHERE tenant_id = $1 FOR UPDATE', tenantId],
  },
  {
    operation: 'retryEvents',
    access: 'operator',
    async prepare(stage) {
      await stage.once('retryEvents', () => insertDeadLetter(stage));
      return { body: { consumer: CONSUMER } };
    },
    lock: () => ['SELECT FROM event_delivery WHERE consumer = $1 FOR UPDATE', CONSUMER],
  },
  {
    operation: 'releaseSubmission',
    access: 'operator',
    prepare: ({ doubt: { submissionId, referenceId, authorityUuid } }) => ({
      parameters: { submissionId },
      body: { decision: 'adopt', documents: [{ referenceId, authorityUuid }] },
    }),
    lock: lockRow('authority_submission', 'submissionId'),
  },
  {
    operation: 'verifyTaxpayer',
    access: 'operator',
    async prepare(stage) {
      const { parameters, seen } = await createUnverified(stage, 'verifyTaxpayer', 'C8111111110');
      return { parameters, body: { ...seen, sharing: 'exclusive' } };
    },
    lock: lockRow('tenant', 'tenantId', 'tenant_id'),
  },
  {
    operation: 'refuseTaxpayer',
    access: 'operator',
    async prepare(stage) {
      const { parameters, seen } = await createUnverified(stage, 'refuseTaxpayer', 'C8222222220');
      return { parameters, body: { ...seen, reason: 'Of another company' } };
    },
    lock: lockRow('tenant', 'tenantId', 'tenant_id'),
  },
];

export const SCENARIOS: readonly Scenario[] = [...WITH_KEY, ...OF_MEMBERS, ...OF_OWNERS, ...OF_USERS, ...OF_OPERATORS];

/** Operations that need neither a key nor a session. */
export const OPEN_OPERATIONS: readonly string[] = [
  'signIn',
  'signUp',
  'lookUpPasswordLink',
  'usePasswordLink',
  'lookUpInvitation',
  'signUpByInvitation',
];
