import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { Role } from '../../src/accounts/roles.js';
import { createSecret, deriveCsrfToken, digestSecret } from '../../src/accounts/secrets.js';
import { createApiKeyText, describeApiKeyText, digestApiKey } from '../../src/accounts/api-keys/api-key-text.js';
import { readConfiguration } from '../../src/config/configuration.js';
import type { SessionDto } from '../../src/dashboard-api/session/dto/session.dto.js';
import { UserCommand } from '../cli/user-command.js';
import { Browser, PASSWORD } from '../support/dashboard.js';
import { newEmail } from '../support/people.js';
import type { TestService } from '../support/service.js';

/** Required access of an operation: an API key, a session, a minimum role or an operator. */
export type Access = 'key' | 'user' | Role | 'operator';

/** The organisation of a test file, and one of its owners. */
export interface Organisation {
  readonly service: TestService;
  readonly tenantId: string;
  /** Under `/api/dashboard`. */
  readonly path: string;
  readonly owner: { readonly browser: Browser; readonly userId: string };
}

/** The sender of one late request: a user with two sessions, and a key of the organisation. */
export interface Subject {
  readonly userId: string;
  readonly email: string;
  readonly sessionId: string;
  readonly otherSessionId: string;
  /** Signed in with the other session. */
  readonly otherBrowser: Browser;
  readonly keyId: string;
  /** The credentials of the late request. */
  readonly headers: Readonly<Record<string, string>>;
}

const INSERT_SUBJECT = /* sql */ `
  WITH subject AS (
    INSERT INTO user_account (id, email, name, password_hash, is_operator, created_at)
    SELECT $1, $2, 'Badrul', password_hash, $3, service_now() FROM user_account WHERE id = $4 RETURNING id),
  sessions AS (
    INSERT INTO user_session (id, user_id, digest, ip, user_agent, created_at, last_seen_at, expires_at)
    SELECT given.id, subject.id, given.digest, '127.0.0.1', 'test', service_now(), service_now(),
           service_now() + interval '1 day'
      FROM subject CROSS JOIN unnest($5::uuid[], $6::bytea[]) AS given (id, digest)),
  member AS (
    INSERT INTO membership (tenant_id, user_id, role, created_at)
    SELECT $7::uuid, id, $8::text, service_now() FROM subject WHERE $8 IS NOT NULL)
  INSERT INTO api_key (tenant_id, id, environment, name, prefix, last_four, digest, created_at)
  VALUES ($7::uuid, $9, 'sandbox', 'late', $10, $11, $12, service_now())`;

export async function createSubject(organisation: Organisation, access: Access): Promise<Subject> {
  const { service, tenantId, owner } = organisation;
  const [userId, sessionId, otherSessionId, keyId] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
  const [secret, otherSecret, apiKey] = [createSecret(), createSecret(), createApiKeyText('sandbox')];
  const email = newEmail();
  const { prefix, lastFour } = describeApiKeyText(apiKey);
  const role = access === 'key' || access === 'user' || access === 'operator' ? null : access;
  const user = [userId, email, access === 'operator', owner.userId];
  const sessions = [
    [sessionId, otherSessionId],
    [digestSecret(secret), digestSecret(otherSecret)],
  ];
  const ofOrganisation = [tenantId, role, keyId, prefix, lastFour, digestApiKey(apiKey)];
  await service.owner.query(INSERT_SUBJECT, [...user, ...sessions, ...ofOrganisation]);
  const { secretsKey } = readConfiguration('api', service.settings);
  const otherBrowser = new Browser(service);
  otherBrowser.cookie = toCookie(otherSecret);
  otherBrowser.session = { csrfToken: deriveCsrfToken(secretsKey, otherSecret) } as SessionDto;
  const ofSession = { Cookie: toCookie(secret), 'X-CSRF-Token': deriveCsrfToken(secretsKey, secret) };
  const headers = access === 'key' ? { 'X-API-Key': apiKey } : ofSession;
  return { userId, email, sessionId, otherSessionId, otherBrowser, keyId, headers };
}

function toCookie(secret: string): string {
  return `einvoice_session=${secret}`;
}

type Statement = readonly [text: string, parameters: readonly unknown[]];

/** A way in which access ends. */
export interface Way {
  /** Completes "is rejected after". */
  readonly name: string;
  readonly affects: (access: Access) => boolean;
  readonly refusal: readonly [status: number, code: string];
  /** Statements that revoke access in a database transaction of the test. */
  readonly statements: (organisation: Organisation, subject: Subject) => readonly Statement[];
  /** Revokes access through the API; undefined if no operation does so. */
  readonly operation?: (organisation: Organisation, subject: Subject) => Promise<unknown>;
}

const isMembers = (access: Access): boolean => access === 'viewer' || access === 'member' || access === 'owner';
const isUsers = (access: Access): boolean => access !== 'key';
const SESSION_REQUIRED = [401, 'session_required'] as const;

async function expectDone(call: Promise<{ readonly status: number; readonly text: string }>): Promise<void> {
  const { status, text } = await call;
  expect(status, text).toBeLessThan(300);
}

export const WAYS: readonly Way[] = [
  {
    name: 'its API key was revoked',
    affects: (access) => access === 'key',
    refusal: [401, 'api_key_revoked'],
    statements: (_, { keyId }) => [['UPDATE api_key SET revoked_at = service_now() WHERE id = $1', [keyId]]],
    operation: ({ owner, path }, { keyId }) => expectDone(owner.browser.call('DELETE', `${path}/keys/${keyId}`)),
  },
  {
    name: 'its API key expired',
    affects: (access) => access === 'key',
    refusal: [401, 'api_key_expired'],
    statements: (_, { keyId }) => [['UPDATE api_key SET expires_at = service_now() WHERE id = $1', [keyId]]],
  },
  {
    name: 'its user was removed',
    affects: isMembers,
    refusal: [404, 'organisation_not_found'],
    statements: ({ tenantId }, { userId }) => [
      ['DELETE FROM membership WHERE tenant_id = $1 AND user_id = $2', [tenantId, userId]],
    ],
    operation: ({ owner, path }, { userId }) => expectDone(owner.browser.call('DELETE', `${path}/members/${userId}`)),
  },
  {
    name: 'its user became a viewer',
    affects: (access) => access === 'member' || access === 'owner',
    refusal: [403, 'role_too_low'],
    statements: ({ tenantId }, { userId }) => [
      [`UPDATE membership SET role = 'viewer' WHERE tenant_id = $1 AND user_id = $2`, [tenantId, userId]],
    ],
    operation: ({ owner, path }, { userId }) =>
      expectDone(owner.browser.call('PATCH', `${path}/members/${userId}`, { role: 'viewer' })),
  },
  {
    name: 'its session ended',
    affects: isUsers,
    refusal: SESSION_REQUIRED,
    statements: (_, { sessionId }) => [['DELETE FROM user_session WHERE id = $1', [sessionId]]],
    operation: (_, { otherBrowser, sessionId }) => expectDone(otherBrowser.call('DELETE', `/sessions/${sessionId}`)),
  },
  {
    name: "its user's password changed",
    affects: isUsers,
    refusal: SESSION_REQUIRED,
    statements: (_, { userId }) => [
      [`UPDATE user_account SET password_hash = '' WHERE id = $1`, [userId]],
      ['DELETE FROM user_session WHERE user_id = $1', [userId]],
    ],
    operation: (_, { otherBrowser }) =>
      expectDone(otherBrowser.post('/password', { current: PASSWORD, next: 'another long passphrase' })),
  },
  {
    name: 'its user was disabled',
    affects: isUsers,
    refusal: SESSION_REQUIRED,
    // Unlike the command, keeps the session.
    statements: (_, { userId }) => [['UPDATE user_account SET disabled_at = service_now() WHERE id = $1', [userId]]],
    operation: async ({ service }, { email }) => {
      const { exitCode, error } = await new UserCommand(service).run(['disable', '--email', email]);
      expect({ exitCode, error }).toEqual({ exitCode: 0, error: '' });
    },
  },
  {
    name: 'its user lost the operator role',
    affects: (access) => access === 'operator',
    refusal: [403, 'operators_only'],
    statements: (_, { userId }) => [['UPDATE user_account SET is_operator = false WHERE id = $1', [userId]]],
  },
];
