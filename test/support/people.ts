import type { Role } from '../../src/accounts/roles.js';
import type { SessionDto } from '../../src/dashboard-api/session/dto/session.dto.js';
import type { MadeInvitationDto } from '../../src/dashboard-api/members/dto/member.dto.js';
import { Browser, PASSWORD, signUp } from './dashboard.js';
import type { TestService } from './service.js';
import { verify } from './tenants.js';

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly requestId: string;
  readonly errors?: string[];
  readonly details?: { pointer: string; message: string; hint: string | null }[];
}

export interface Person {
  readonly browser: Browser;
  readonly email: string;
  readonly userId: string;
}

let counter = 0;

export function newEmail(): string {
  counter += 1;
  return `invited${counter}-${process.pid}@kedai.example`;
}

/** Signs up the owner of a new organisation. */
export async function organisation(service: TestService): Promise<Person & { tenantId: string; path: string }> {
  const { browser, email, tenantId } = await signUp(service);
  const userId = String(browser.session?.user.userId);
  return { browser, email, userId, tenantId, path: `/organisations/${tenantId}` };
}

/** Creates an invitation and returns its secret. */
export async function invite(owner: Browser, path: string, email: string, role: Role): Promise<string> {
  const { status, body, text } = await owner.post<MadeInvitationDto>(`${path}/invitations`, { email, role });
  if (status !== 201) throw new Error(`Invitation: ${status} ${text}`);
  return body.secret;
}

/** Signs up a user with this role through an invitation of the owner. */
export async function join(service: TestService, owner: Browser, path: string, role: Role): Promise<Person> {
  const email = newEmail();
  const secret = await invite(owner, path, email, role);
  const browser = new Browser(service);
  const response = await browser.post<SessionDto>('/invitations/sign-up', {
    secret,
    name: 'Badrul',
    password: PASSWORD,
  });
  if (response.status !== 201) throw new Error(`Joining: ${response.status} ${response.text}`);
  browser.session = response.body;
  return { browser, email, userId: response.body.user.userId };
}

interface Entry {
  readonly action: string;
  readonly actor: string;
  readonly subject: string;
  readonly details: Record<string, unknown>;
  readonly ip: string | null;
}

/** Reads the audit log of an organisation, oldest entry first. */
export function readAudit(service: TestService, tenantId: string): Promise<Entry[]> {
  return service.owner.query<Entry[]>(
    'SELECT action, actor, subject, details, ip FROM audit_entry WHERE tenant_id = $1 ORDER BY id',
    [tenantId],
  );
}

let tins = 0;

/** Completes a signed-up organisation with a supplier profile, its verification and credits. */
export async function completeProfile(service: TestService, tenantId: string, credits = 100): Promise<void> {
  tins += 1;
  await service.owner.query(
    `UPDATE tenant SET tin = $2, id_type = 'BRN', id_value = '201901234567', msic = '46510', activity = 'Wholesale',
            address_line1 = 'Lot 66', city = 'Kuala Lumpur', postcode = '50480', state_code = '14', phone = '+60312345678'
      WHERE tenant_id = $1`,
    [tenantId, `C${20_000_000 + (process.pid % 1_000) * 1_000 + tins}0`],
  );
  await verify(service.owner, tenantId);
  await service.owner.query(`INSERT INTO credit_account VALUES ($1, $2, 1)`, [tenantId, credits]);
  const [{ id }] = await service.owner.query<{ id: string }[]>(
    `INSERT INTO credit_lot SELECT $1, gen_random_uuid(), $2::int, $2::int, service_now() + interval '1 year', service_now()
     RETURNING id`,
    [tenantId, credits],
  );
  await service.owner.query(
    `INSERT INTO credit_entry VALUES ($1, 1, 'grant', $2::int, $2::int, NULL, $3, service_now())`,
    [tenantId, credits, id],
  );
}

/** Signs up a user and makes them an operator of the service. */
export async function createOperator(service: TestService): Promise<{ browser: Browser; email: string }> {
  const { browser, email } = await signUp(service);
  await service.owner.query('UPDATE user_account SET is_operator = true WHERE email = $1', [email]);
  return { browser, email };
}

/** Reads the audit log of an organisation as `ACTION by ACTOR` lines, oldest first. */
export async function readAuditLines(service: TestService, tenantId: string): Promise<string[]> {
  const rows = await service.owner.query<{ line: string }[]>(
    `SELECT action || ' by ' || actor AS line FROM audit_entry WHERE tenant_id = $1 ORDER BY id`,
    [tenantId],
  );
  return rows.map(({ line }) => line);
}
