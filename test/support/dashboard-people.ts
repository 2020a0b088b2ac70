import type { Role } from '../../src/accounts/roles.js';
import { type Browser, signUp } from './dashboard.js';
import type { TestService } from './service.js';

/** A new user with a role in an organisation that is there already, beside their own. */
export async function memberOf(service: TestService, tenantId: string, role: Role): Promise<Browser> {
  const { browser, email } = await signUp(service);
  await service.owner.query(
    `INSERT INTO membership (tenant_id, user_id, role, created_at)
     SELECT $1, id, $3, service_now() FROM user_account WHERE email = $2`,
    [tenantId, email, role],
  );
  return browser;
}

/** A new user who is an operator of the service. */
export async function operatorOf(service: TestService): Promise<{ browser: Browser; email: string }> {
  const { browser, email } = await signUp(service);
  await service.owner.query('UPDATE user_account SET is_operator = true WHERE email = $1', [email]);
  return { browser, email };
}

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly requestId: string;
  readonly errors?: readonly string[];
}

/** Actions of an organisation's audit log, the oldest first, each with who did it. */
export async function auditOf(service: TestService, tenantId: string): Promise<string[]> {
  const rows = await service.owner.query<{ line: string }[]>(
    `SELECT action || ' by ' || actor AS line FROM audit_entry WHERE tenant_id = $1 ORDER BY id`,
    [tenantId],
  );
  return rows.map(({ line }) => line);
}
