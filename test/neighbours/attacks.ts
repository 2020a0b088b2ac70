import { createApiKeyText } from '../../src/accounts/api-keys/api-key-text.js';
import { queueCopies } from '../dispatcher/backlog.js';
import { accept, type TestTenant } from '../support/client.js';
import { type Browser, PASSWORD } from '../support/dashboard.js';
import { invoice, line, reference } from '../support/documents.js';
import { completeProfile, organisation } from '../support/people.js';
import type { TestService } from '../support/service.js';
import { insertKey, insertTenant } from '../support/tenants.js';

/** Request of an attacker. attacker.mjs describes its placeholders. */
export interface AttackRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Attack by one organisation or one network address. */
export interface Attack {
  readonly title: string;
  readonly connections: number;
  /** Matches the response of an exceeded limit. Null if the attack stays within the limits. */
  readonly limitedBy: RegExp | null;
  readonly prepare: (service: TestService) => Promise<readonly AttackRequest[]>;
  /** Sends only the start of a request on each connection. */
  readonly isSilent?: boolean;
}

const CREDITS = 1_000_000;
const SUBMIT = '/v1/einvoice/submit';
const DRY_RUN = `${SUBMIT}?dryRun=true`;
const JSON_BODY = { 'Content-Type': 'application/json' };

const RATE_LIMITED = /^429 rate_limited$/;
const TOO_MANY_ATTEMPTS = /^429 too_many_attempts$/;
/** A large body exceeds one of several limits. */
const LARGE_BODIES_LIMITED = /^429 (?:large_body_share_exceeded|rate_limited|too_many_concurrent_requests)$/;

/** Gives each attacker without a key its own network. */
let networks = 0;
function comeFromNewNetwork(): Record<string, string> {
  networks += 1;
  return { 'X-Forwarded-For': `198.51.100.${networks}` };
}

function buildBody(documents: readonly unknown[]): string {
  return JSON.stringify({ submission_type: 'non-consolidated', documents });
}

function buildDocuments(count: number, lines: number): unknown[] {
  const lineItems = Array.from({ length: lines }, () => line);
  return Array.from({ length: count }, () => invoice({ referenceId: 'A-%id%', lineItems }));
}

function post(tenant: TestTenant, path: string, body: string): AttackRequest {
  const headers = { 'X-API-Key': tenant.apiKey, 'idempotency-key': '%id%', ...JSON_BODY };
  return { method: 'POST', path, headers, body };
}

/** Prepares an attack of submits or dry runs that differ only in their numbers. */
function submitting(path: string, buildDocumentsOf: () => readonly unknown[]): Attack['prepare'] {
  return async (service) => {
    const tenant = await insertTenant(service.owner, { credits: CREDITS });
    return [post(tenant, path, buildBody(buildDocumentsOf()))];
  };
}

/** Prepares an attack that polls a batch whose status does not change. */
async function polling(service: TestService, headers: Readonly<Record<string, string>>): Promise<AttackRequest[]> {
  const tenant = await insertTenant(service.owner);
  const { submissionBatchId } = await accept(service, tenant, [invoice({ referenceId: reference('SIM-STUCK') })]);
  const path = `/v1/saas/submissions/${submissionBatchId}/status`;
  return [{ method: 'GET', path, headers: { 'X-API-Key': tenant.apiKey, ...headers } }];
}

interface Organisation extends TestTenant {
  readonly path: string;
  readonly email: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function createOrganisation(service: TestService): Promise<Organisation> {
  const { browser, tenantId, path, email } = await organisation(service);
  await completeProfile(service, tenantId);
  const apiKey = await insertKey(service.owner, tenantId);
  return { tenantId, apiKey, path: `/dashboard${path}`, email, headers: readHeaders(browser) };
}

function readHeaders({ cookie, session }: Browser): Record<string, string> {
  return { Cookie: cookie ?? '', 'X-CSRF-Token': session?.csrfToken ?? '', ...JSON_BODY };
}

function signIn(email: string, password: string, headers: Readonly<Record<string, string>>): AttackRequest {
  const body = JSON.stringify({ email, password });
  return { method: 'POST', path: '/dashboard/sign-in', headers: { ...JSON_BODY, ...headers }, body };
}

const EXPORTED = 5_000;

export const ATTACKS: readonly Attack[] = [
  {
    title: '500 held polls of one organisation',
    connections: 500,
    limitedBy: RATE_LIMITED,
    prepare: (service) => polling(service, { 'If-None-Match': '', Prefer: 'wait=20' }),
  },
  {
    title: 'polls of one organisation on 50 connections',
    connections: 50,
    limitedBy: RATE_LIMITED,
    prepare: (service) => polling(service, {}),
  },
  {
    title: 'dry runs of 2.4 MB in a loop, on 10 connections',
    connections: 10,
    limitedBy: LARGE_BODIES_LIMITED,
    prepare: submitting(DRY_RUN, () => buildDocuments(100, 190)),
  },
  {
    title: 'dry runs of 2.7 MB full of errors, on 10 connections',
    connections: 10,
    limitedBy: LARGE_BODIES_LIMITED,
    prepare: submitting(DRY_RUN, () => {
      const lineItems = Array.from({ length: 454 }, () => ({ q: 1, w: 1, e: 1, r: 1, t: 1, y: 1, u: 1, i: 1, o: 1 }));
      return Array.from({ length: 100 }, () => ({ documentType: 'invoice', documentDate: '2999-01-01', lineItems }));
    }),
  },
  {
    title: 'dry runs of just under 256 KB, on 10 connections',
    connections: 10,
    limitedBy: RATE_LIMITED,
    prepare: submitting(DRY_RUN, () => buildDocuments(100, 17)),
  },
  {
    title: 'submits of 100 documents, on 20 connections',
    connections: 20,
    limitedBy: RATE_LIMITED,
    prepare: submitting(SUBMIT, () => buildDocuments(100, 3)),
  },
  {
    title: 'submits of one document, on 50 connections',
    connections: 50,
    limitedBy: RATE_LIMITED,
    prepare: submitting(SUBMIT, () => buildDocuments(1, 1)),
  },
  {
    title: 'TIN checks on 6 connections',
    connections: 6,
    limitedBy: RATE_LIMITED,
    prepare: async (service) => {
      const { apiKey } = await insertTenant(service.owner);
      const path = '/v1/einvoice/validate-taxpayer-tin/C%digits%?idType=BRN&idValue=%digits%';
      return [{ method: 'GET', path, headers: { 'X-API-Key': apiKey } }];
    },
  },
  {
    title: `30 exports of ${EXPORTED} documents`,
    connections: 30,
    limitedBy: /^429 too_many_concurrent_requests$/,
    prepare: async (service) => {
      const { headers, path, ...tenant } = await createOrganisation(service);
      const of = reference();
      await accept(service, tenant, [invoice({ referenceId: of })]);
      await queueCopies(service, tenant, { of, count: EXPORTED, prefix: 'EXPORT', batches: 50 });
      return [{ method: 'GET', path: `${path}/sandbox/transactions.csv`, headers }];
    },
  },
  {
    title: '50 changes of a password',
    connections: 50,
    limitedBy: TOO_MANY_ATTEMPTS,
    prepare: async (service) => {
      const { headers } = await createOrganisation(service);
      const body = JSON.stringify({ current: PASSWORD, next: PASSWORD });
      return [{ method: 'POST', path: '/dashboard/password', headers, body }];
    },
  },
  {
    title: 'changes of the TIN, each with an appointment check, on 6 connections',
    connections: 6,
    limitedBy: /^429 (?:tin_changes_used_up|rate_limited)$/,
    prepare: async (service) => {
      const { headers, path } = await createOrganisation(service);
      const { 'Content-Type': _, ...withoutBody } = headers;
      return [
        { method: 'PATCH', path: `${path}/profile`, headers, body: JSON.stringify({ tin: 'C%digits%0' }) },
        { method: 'POST', path: `${path}/sandbox/appointment-check`, headers: withoutBody },
      ];
    },
  },
  {
    title: 'sign-ins with the right password, on 100 connections',
    connections: 100,
    limitedBy: TOO_MANY_ATTEMPTS,
    prepare: async (service) => {
      const { email } = await createOrganisation(service);
      return [signIn(email, PASSWORD, comeFromNewNetwork())];
    },
  },
  {
    title: 'sign-ins of unknown users, on 100 connections of one network',
    connections: 100,
    limitedBy: TOO_MANY_ATTEMPTS,
    prepare: () => Promise.resolve([signIn('%id%@nobody.example', 'x'.repeat(20), comeFromNewNetwork())]),
  },
  {
    title: 'unknown API keys, on 50 connections of one network',
    connections: 50,
    limitedBy: RATE_LIMITED,
    prepare: () => {
      const network = comeFromNewNetwork();
      const keys = Array.from({ length: 1_000 }, () => createApiKeyText('sandbox'));
      const path = '/v1/saas/submissions/%id%/status';
      return Promise.resolve(keys.map((key) => ({ method: 'GET', path, headers: { 'X-API-Key': key, ...network } })));
    },
  },
  {
    title: '/health/ready on 50 connections of one network',
    connections: 50,
    limitedBy: RATE_LIMITED,
    prepare: () => Promise.resolve([{ method: 'GET', path: '/health/ready', headers: comeFromNewNetwork() }]),
  },
  {
    title: '500 connections with incomplete requests',
    connections: 500,
    limitedBy: null,
    prepare: () => Promise.resolve([]),
    isSilent: true,
  },
];
