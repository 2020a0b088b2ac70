import { hashPassword } from '../../src/accounts/password.js';
import type { OrderDto } from '../../src/dashboard-api/credits/dto/credits.dto.js';
import { sampleMonth } from '../../standalone/demo/sample-month.js';
import { accept, type Body, cancel, createKey, readStatus, submit, type TestTenant } from '../support/client.js';
import { Browser, PASSWORD } from '../support/dashboard.js';
import { creditNote, invoice } from '../support/documents.js';
import { completeProfile, invite, join } from '../support/people.js';
import type { TestService } from '../support/service.js';
import { endLookups } from '../support/lookups.js';

export interface DemoOrganisation {
  readonly tenantId: string;
  /** E-mail addresses of users with the password PASSWORD. */
  readonly owner: string;
  readonly member: string;
  readonly viewer: string;
  readonly operator: string;
  /** User of an empty organisation. */
  readonly newcomer: { readonly email: string; readonly tenantId: string };
  /** Fragment of an invitation link. */
  readonly invitation: string;
  /** Transaction ids by document status. */
  readonly documents: Readonly<Record<'valid' | 'invalid' | 'cancelled' | 'failed' | 'waiting', string>>;
}

const DAY_SECONDS = 86_400;
const DAYS = 24;
const WEEK_DAYS = 7;
const CREDITS = 400;
const COLLEAGUES = { member: 'Badrul', viewer: 'Meiling' };
const OPERATOR = 'farid@service.example';

/**
 * Creates a month of data for a shop: documents in every status, members, API keys, orders and submissions in doubt.
 */
export async function fillDemo(service: TestService): Promise<DemoOrganisation> {
  const { owner, tenantId } = await organisation(service);
  const operator = await newOperator(service);
  const path = `/organisations/${tenantId}`;
  await completeProfile(service, tenantId, CREDITS);
  await owner.post(`${path}/keys`, { name: 'ERP of the head office', environment: 'sandbox' });
  await owner.post(`${path}/keys`, { name: 'Point of sale', environment: 'production' });
  for (const [role, name] of Object.entries(COLLEAGUES) as ['member' | 'viewer', string][]) {
    const { userId } = await join(service, owner, path, role);
    await service.owner.query(`UPDATE user_account SET name = $2, email = $3 WHERE id = $1`, [
      userId,
      name,
      toEmail(name),
    ]);
  }
  await paidOrder(owner, operator, { tenantId, path });
  const documents = await month(service, tenantId);
  await service.owner.query(`DELETE FROM api_key WHERE tenant_id = $1 AND name = 'test'`, [tenantId]);
  const newcomer = await organisation(service);
  return {
    tenantId,
    owner: owner.session?.user.email ?? '',
    member: toEmail(COLLEAGUES.member),
    viewer: toEmail(COLLEAGUES.viewer),
    operator: OPERATOR,
    newcomer: { email: newcomer.owner.session?.user.email ?? '', tenantId: newcomer.tenantId },
    invitation: await openInvitation(owner, path),
    documents,
  };
}

function toEmail(name: string): string {
  return `${name.toLowerCase()}@kedai-demo.example`;
}

/** Blocks a queue and adds a dead letter for the operator pages. */
export async function blockQueue({ owner }: TestService, tenantId: string): Promise<void> {
  await owner.query(
    `UPDATE tenant_queue SET waiting_until = service_now() + interval '1 day', waiting_since = service_now(),
            waiting_code = 'not_appointed' WHERE tenant_id = $1 AND environment = 'sandbox'`,
    [tenantId],
  );
  await owner.query(`INSERT INTO event_consumer VALUES ('accounting-export', service_now())`);
  await owner.query(
    `INSERT INTO event_delivery (tenant_id, consumer, document_id, event_id, transaction_id, version, at, attempts, dead_at, due_at, error)
     SELECT tenant_id, 'accounting-export', document_id, 1, id, version, created_at, 20, service_now(), 'infinity', 'no such account'
       FROM document_transaction WHERE tenant_id = $1 LIMIT 1`,
    [tenantId],
  );
}

let counter = 0;

async function organisation(service: TestService): Promise<{ owner: Browser; tenantId: string }> {
  counter += 1;
  const owner = new Browser(service);
  const names = [
    { name: 'Aisyah Rahman', organisationName: 'Kedai Demo Sdn Bhd', email: 'aisyah@kedai-demo.example' },
    { name: 'Wei Ming', organisationName: 'Studio Lestari Sdn Bhd', email: 'weiming@studio-lestari.example' },
  ];
  const { body, status, text } = await owner.enter('/sign-up', { ...names[counter - 1], password: PASSWORD });
  if (status !== 201) throw new Error(`Sign-up: ${status} ${text}`);
  return { owner, tenantId: body.organisations[0].tenantId };
}

/** Creates an operator without an organisation, as the CLI does. */
async function newOperator(service: TestService): Promise<Browser> {
  await service.owner.query(
    `INSERT INTO user_account (id, email, name, password_hash, is_operator, created_at)
     VALUES (gen_random_uuid(), $1, 'Farid Osman', $2, true, service_now())`,
    [OPERATOR, await hashPassword(PASSWORD)],
  );
  const browser = new Browser(service);
  await browser.enter('/sign-in', { email: OPERATOR, password: PASSWORD });
  return browser;
}

async function paidOrder(
  owner: Browser,
  operator: Browser,
  { tenantId, path }: { tenantId: string; path: string },
): Promise<void> {
  const note = 'Transfer of 19 November, reference KD-2211';
  const { body } = await owner.post<OrderDto>(`${path}/credits/orders`, { credits: 500, note });
  const response = await operator.post(`/operator/orders/${tenantId}/${body.orderId}/confirm`, {});
  if (response.status !== 200) throw new Error(`Order: ${response.status} ${response.text}`);
}

/** Signs the owner in again, because all sessions have expired, and creates an open invitation. */
async function openInvitation(owner: Browser, path: string): Promise<string> {
  await owner.enter('/sign-in', { email: owner.session?.user.email, password: PASSWORD });
  await owner.post(`${path}/credits/orders`, { credits: 1_000, note: 'For the year’s end' });
  return invite(owner, path, 'siti@kedai-demo.example', 'member');
}

/** Submits a varying number of documents per day and none on Sundays. */
async function month(service: TestService, tenantId: string): Promise<DemoOrganisation['documents']> {
  const ids = new Map<string, Body>();
  let tenant = { tenantId, apiKey: '' };
  for (let day = 1; day <= DAYS; day += 1) {
    await service.advance(DAY_SECONDS);
    if (day % WEEK_DAYS === 0) continue;
    // The API caches a key for half a second together with the day, so each day uses a different key.
    tenant = { tenantId, apiKey: await createKey(service, tenantId) };
    for (const document of await sendDay(service, tenant, day)) ids.set(document.referenceId as string, document);
  }
  const last = String(DAYS).padStart(2, '0');
  const find = (referenceId: string): Body => {
    const found = ids.get(referenceId);
    if (found === undefined) throw new Error(`The demo has no ${referenceId}`);
    return found;
  };
  const cancelled = find(`INV-${last}-2`);
  await cancel(service, tenant, { documentId: cancelled.documentId, cancellationReason: 'Wrong buyer' });
  await service.settle();
  await loseResponse(service, tenant);
  // Midnight may have passed in the meantime.
  tenant = { tenantId, apiKey: await createKey(service, tenantId) };
  const waiting = await accept(service, tenant, [
    invoice({ referenceId: 'INV-25-1', document_date: await readDay(service) }),
  ]);
  const getTransactionId = (referenceId: string): string => find(referenceId).transactionId as string;
  return {
    valid: getTransactionId(`INV-${last}-1`),
    invalid: getTransactionId(`SIM-INVALID-CV302-${last}`),
    cancelled: cancelled.transactionId as string,
    failed: getTransactionId(`SIM-REJECT-CF349-${last}`),
    waiting: (await readStatus(service, tenant, waiting.submissionBatchId)).documents[0].transactionId,
  };
}

async function sendDay(service: TestService, tenant: TestTenant, day: number): Promise<Body[]> {
  const run = String(day).padStart(2, '0');
  const date = await readDay(service);
  const { invoices, consolidated, creditNote: note } = sampleMonth(run, date);
  const isBusy = day % 3 === 0;
  const failing = [invoice({ referenceId: `SIM-REJECT-CF349-${run}`, document_date: date })];
  const sent = [
    await submit(
      service,
      tenant,
      isBusy ? [...invoices.documents, ...failing] : invoices.documents.slice(0, 1 + (day % 4)),
    ),
    await submit(service, tenant, consolidated.documents, { submissionType: 'consolidated' }),
  ];
  await service.settle();
  if (day % 2 === 0) sent.push(await submit(service, tenant, note.documents));
  if (day === DAYS) {
    const unknown = creditNote({ referenceId: 'OLD-1', authorityUuid: 'F9D425P6DS7D8IU0123456789A' });
    sent.push(await submit(service, tenant, [{ ...unknown, referenceId: 'CN-OLD-1', document_date: date }]));
  }
  await service.settle();
  const documents = [];
  for (const { status, text, body } of sent) {
    if (status !== 200) throw new Error(`Submit: ${status} ${text}`);
    documents.push(...(await readStatus(service, tenant, body.submissionBatchId as string)).documents);
  }
  return documents;
}

/** Loses the response to a submit and hides the document from searches, so that an operator must decide. */
async function loseResponse(service: TestService, tenant: TestTenant): Promise<void> {
  await service.control('settings', { searchLagMs: DAY_SECONDS * 1_000 });
  await service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-after', times: 1 }]);
  await accept(service, tenant, [invoice({ referenceId: 'INV-24-9', document_date: await readDay(service) })]);
  await service.tick('submit');
  await endLookups(service);
  await service.tick('housekeeping');
}

/** Today in Malaysian time by the service's clock. */
async function readDay(service: TestService): Promise<string> {
  const [{ day }] = await service.owner.query<{ day: string }[]>(
    `SELECT to_char(service_now() AT TIME ZONE 'Asia/Kuala_Lumpur', 'YYYY-MM-DD') AS day`,
  );
  return day;
}
