import { createApiKeyText } from '../../src/accounts/api-keys/api-key-text.js';
import { accept, createKey, createTenant, issue, type TestTenant } from '../support/client.js';
import { type Browser, signUpInto } from '../support/dashboard.js';
import { invoice, recipient, reference } from '../support/documents.js';
import { completeProfile, createOperator, invite, newEmail, organisation } from '../support/people.js';
import type { TestService } from '../support/service.js';
import { insertKey } from '../support/tenants.js';

/** Marker in every text of the hidden organisation. It never appears in a request. */
export const HIDDEN = 'Tersembunyi';

export type Headers = readonly (readonly [name: string, value: string])[];

export interface Sender {
  readonly name: string;
  readonly headers: Headers;
  readonly isSession?: boolean;
}

export interface Stage {
  readonly senders: readonly Sender[];
  /** Senders whose credentials must stay valid. */
  readonly endless: readonly Sender[];
  readonly operator: Sender;
  /** Row ids of the senders' organisations. */
  readonly ids: readonly string[];
  /** Row ids of the hidden organisation, with and without those known to the senders. */
  readonly knownIds: readonly string[];
  readonly unknownIds: readonly string[];
  readonly hidden: TestTenant;
}

const CREDITS = 100_000;

function key(name: string, apiKey: string): Sender {
  return { name, headers: [['X-API-Key', apiKey]], isSession: false };
}

function session(name: string, { cookie, session: own }: Browser): Sender {
  return {
    name,
    isSession: true,
    headers: [
      ['Cookie', cookie ?? ''],
      ['X-CSRF-Token', own?.csrfToken ?? ''],
    ],
  };
}

interface Filled extends TestTenant {
  readonly browser: Browser;
}

/** Creates an organisation with a row of every kind. */
async function createFilled(service: TestService, texts: string): Promise<Filled> {
  const { browser, tenantId, path } = await organisation(service);
  await completeProfile(service, tenantId, CREDITS);
  const apiKey = await insertKey(service.owner, tenantId);
  const tenant = { tenantId, apiKey };
  const buyer = { ...recipient, name: `Pembeli ${texts}` };
  await issue(service, tenant, invoice({ referenceId: reference(texts), recipient: buyer }));
  await accept(service, tenant, [invoice({ referenceId: reference(texts), recipient: buyer })]);
  await invite(browser, path, newEmail(), 'viewer');
  const ordered = await browser.post(`${path}/credits/orders`, { credits: 10, note: texts });
  const made = await browser.post(`${path}/keys`, { name: texts, environment: 'sandbox' });
  if (ordered.status !== 201 || made.status !== 201) throw new Error(`${ordered.text}\n${made.text}`);
  return { ...tenant, browser };
}

/** Lists the row ids of an organisation, except the key and the sessions in use. */
async function listIds(service: TestService, { tenantId }: TestTenant): Promise<string[]> {
  const tables = ['submission_batch', 'document', 'document_transaction', 'credit_order', 'invitation', 'api_key'];
  const selects = tables.map((table) => `SELECT id FROM ${table} WHERE tenant_id = $1`);
  const rows = await service.owner.query<{ id: string }[]>(
    `${selects.join(' UNION ALL ')} UNION ALL SELECT user_id FROM membership WHERE tenant_id = $1`,
    [tenantId],
  );
  const [{ used }] = await service.owner.query<{ used: string }[]>(
    `SELECT id AS used FROM api_key WHERE tenant_id = $1 AND name = 'test'`,
    [tenantId],
  );
  return [tenantId, ...rows.map(({ id }) => id).filter((id) => id !== used)];
}

/** Creates senders with keys and sessions of every kind, and a hidden organisation without them. */
export async function createStage(service: TestService): Promise<Stage> {
  const hidden = await createFilled(service, HIDDEN);
  await service.owner.query(`UPDATE tenant SET name = $2 WHERE tenant_id = $1`, [hidden.tenantId, `Kedai ${HIDDEN}`]);
  const hiddenIds = await listIds(service, hidden);
  const filled = await createFilled(service, 'Kedai');
  const other = await createTenant(service, { credits: CREDITS });
  const revoked = await createKey(service, other.tenantId);
  await service.owner.query(
    `UPDATE api_key SET revoked_at = service_now() WHERE id = (SELECT id FROM api_key WHERE tenant_id = $1 ORDER BY id DESC LIMIT 1)`,
    [other.tenantId],
  );
  const owner = session('an owner', filled.browser);
  const viewer = session('a viewer', await signUpInto(service, filled.tenantId, 'viewer'));
  const endless = [key('a key', filled.apiKey), key('a key of another organisation', other.apiKey), owner, viewer];
  return {
    endless,
    senders: [
      ...endless,
      key('a revoked key', revoked),
      key('an unknown key', createApiKeyText('sandbox')),
      key('no key at all', 'guess'),
      { name: 'a session without its token', headers: owner.headers.slice(0, 1) },
      { name: 'nobody', headers: [] },
    ],
    operator: session('an operator', (await createOperator(service)).browser),
    ids: [...(await listIds(service, filled)), ...(await listIds(service, other))],
    knownIds: hiddenIds.filter((_, index) => index % 2 === 0),
    unknownIds: hiddenIds.filter((_, index) => index % 2 === 1),
    hidden,
  };
}
