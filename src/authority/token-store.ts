import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Boundary } from '../common/failpoints/boundaries.js';
import { withFailpoints } from '../common/failpoints/failpoints.js';
import { DIFFERENCE_SECONDS_MAX } from './authority-clock.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import type { Environment } from '../config/environment.js';
import { fingerprintSettings } from '../config/setting-fingerprints.js';
import { TenantTransactions } from '../database/in-tenant.js';
import { OperatorError } from '../errors/operator-error.js';
import { COMPARE_KEYS } from '../observability/process-reports/process-report.sql.js';
import { openToken, sealToken, type TokenKey } from './token-cipher.js';
import type { Login } from './login.js';
import type { IssuedToken } from './wire.js';

export interface StoredToken {
  readonly accessToken: string;
  readonly ciphertext: Buffer;
  readonly isDue: boolean;
}

interface TokenRow {
  readonly token: StoredToken | null;
  readonly isPaused: boolean;
  readonly isAmbiguous: boolean;
  readonly version: string | null;
}

const REFRESH_SECONDS_LEFT = 300;
const USABLE_SECONDS_LEFT = 30;

const IS_ROW = `tenant_id = $1 AND environment = $2 AND client_id = $3 AND on_behalf_of = $4`;

const READ_ROW = /* sql */ `
  SELECT ciphertext, extract(epoch FROM expires_at - service_now()) AS "leftSeconds", expires_at::text AS version,
         login_owner IS NULL AND coalesce(login_until > service_now(), false) AS "isPaused",
         logged_in_at IS NOT NULL AS "isAmbiguous"
    FROM authority_token WHERE ${IS_ROW}`;

// If several replicas read the same version, the row lock grants the claim to one of them.
const CLAIM_LOGIN = /* sql */ `
  INSERT INTO authority_token AS token (tenant_id, environment, client_id, on_behalf_of, login_owner, login_until)
  VALUES ($1, $2, $3, $4, $5, service_now() + make_interval(secs => $6))
  ON CONFLICT (tenant_id, environment, client_id, on_behalf_of) DO UPDATE
     SET login_owner = excluded.login_owner, login_until = excluded.login_until
   WHERE coalesce(token.login_until <= service_now(), true) AND token.expires_at::text IS NOT DISTINCT FROM $7
  RETURNING login_owner`;

function toLoginTime(date: string): string {
  return `CASE WHEN abs(extract(epoch FROM ${date}::timestamptz - service_now())) <= ${DIFFERENCE_SECONDS_MAX}
              THEN ${date} ELSE date_trunc('second', service_now()) END`;
}

const STORE_TOKEN = /* sql */ `
  UPDATE authority_token
     SET ciphertext = $6, expires_at = service_now() + make_interval(secs => $7), login_owner = NULL, login_until = NULL,
         logged_in_at = service_now(), appointed_since = coalesce(appointed_since, ${toLoginTime('$8')})
   WHERE ${IS_ROW} AND login_owner = $5`;

const KEEP_TOKEN = /* sql */ `
  UPDATE authority_token
     SET login_owner = NULL, login_until = NULL, logged_in_at = service_now(),
         appointed_since = coalesce(appointed_since, ${toLoginTime('$6')})
   WHERE ${IS_ROW} AND login_owner = $5`;

const RELEASE_LOGIN = /* sql */ `
  UPDATE authority_token SET login_owner = NULL, login_until = NULL WHERE ${IS_ROW} AND login_owner = $5`;

// A lease without an owner records the refusal. Clears `logged_in_at`, because a refused taxpayer is no evidence about
// our own login.
const PAUSE_LOGINS = /* sql */ `
  UPDATE authority_token
     SET ciphertext = CASE WHEN $7 THEN ciphertext END, expires_at = CASE WHEN $7 THEN expires_at END,
         logged_in_at = CASE WHEN $7 THEN logged_in_at END,
         login_owner = NULL, login_until = service_now() + make_interval(secs => $6)
   WHERE ${IS_ROW} AND login_owner = $5`;

// An appointment applies to all client ids, with or without a BRN.
const IS_TAXPAYER = /* sql */ `
  tenant_id = $1 AND environment = $2 AND split_part(on_behalf_of, ':', 1) = split_part($3, ':', 1)`;

const FORGET_APPOINTMENT = /* sql */ `
  UPDATE authority_token SET appointed_since = NULL, logged_in_at = NULL WHERE ${IS_TAXPAYER}`;

const RECENT_INTERVAL = `interval '24 hours'`;

// Finds the latest login of another tenant or taxpayer, preferably of another taxpayer. Includes all our client ids,
// because an appointment belongs to the intermediary.
const FIND_RECENT_LOGIN = /* sql */ `
  SELECT EXISTS (SELECT FROM authority_token o
                  WHERE o.tenant_id = $1 AND o.environment = $2 AND o.on_behalf_of = $4
                    AND o.logged_in_at > service_now() - ${RECENT_INTERVAL}) AS "isRecent",
         w.tenant_id AS "tenantId", w.on_behalf_of AS "onBehalfOf",
         w.client_id = $3 AND w.logged_in_at > service_now() - make_interval(secs => $5) AS "isFresh"
    FROM (SELECT 1) one
    LEFT JOIN LATERAL (
      SELECT t.tenant_id, t.on_behalf_of, t.client_id, t.logged_in_at FROM authority_token t
       WHERE t.environment = $2 AND (t.tenant_id, t.on_behalf_of) <> ($1, $4)
         AND t.logged_in_at > service_now() - ${RECENT_INTERVAL}
       ORDER BY t.on_behalf_of = $4, t.logged_in_at DESC LIMIT 1) w ON true`;

const DROP_TOKEN = /* sql */ `
  UPDATE authority_token SET ciphertext = NULL, expires_at = NULL WHERE ${IS_ROW} AND ciphertext = $5`;

interface RecentLoginRow {
  readonly isRecent: boolean;
  readonly tenantId: string | null;
  readonly onBehalfOf: string | null;
  readonly isFresh: boolean | null;
}

export interface RecentLogins {
  readonly isRecent: boolean;
  readonly other: { readonly tenantId: string; readonly onBehalfOf: string } | null;
  readonly isFresh: boolean;
}

interface OwnToken {
  readonly token: IssuedToken;
  readonly ciphertext: Buffer;
  /** On the `performance.now()` clock. */
  readonly expiresAtMs: number;
}

const OWN_TOKENS_MAX = 10_000;

interface KeyComparison {
  readonly isOther: boolean;
  readonly isShared: boolean;
}

interface RawRow {
  readonly ciphertext: Buffer | null;
  readonly leftSeconds: string | null;
  readonly version: string | null;
  readonly isPaused: boolean;
  readonly isAmbiguous: boolean;
}

/** Stores tokens. Processes with different `SECRETS_KEY` values do not replace each other's tokens. */
@Injectable()
export class TokenStore {
  private readonly own = new Map<string, OwnToken>();
  private readonly keyFingerprint: string | null;

  constructor(
    private readonly tenants: TenantTransactions,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {
    this.keyFingerprint = fingerprintSettings(configuration).SECRETS_KEY ?? null;
  }

  async read(key: TokenKey): Promise<TokenRow> {
    const [row] = await this.run('token.read', key, (tx, identity) => tx.query<RawRow[]>(READ_ROW, identity));
    if (row === undefined) return { token: null, isPaused: false, isAmbiguous: false, version: null };
    return {
      token: this.open(key, row) ?? this.openOwn(key, row),
      isPaused: row.isPaused,
      isAmbiguous: row.isAmbiguous,
      version: row.version,
    };
  }

  async claim(key: TokenKey, lease: { owner: string; seconds: number }, version: string | null): Promise<boolean> {
    const rows = await this.run('token.claim', key, (tx, identity) =>
      tx.query<unknown[]>(CLAIM_LOGIN, [...identity, lease.owner, lease.seconds, version]),
    );
    return rows.length > 0;
  }

  /** Stores the token and releases the lease. If the lease was lost, keeps the token of a newer login. */
  async store(key: TokenKey, owner: string, { issuedAt, ...token }: Login): Promise<StoredToken> {
    const ciphertext = sealToken(this.configuration.secretsKey, key, token);
    await this.run('token.store', key, async (tx, identity) => {
      const [row] = await tx.query<RawRow[]>(READ_ROW, identity);
      const isOthers =
        row !== undefined && isUsable(row) && this.open(key, row) === null && (await this.compareKeys(tx)).isOther;
      if (isOthers) {
        await tx.query(KEEP_TOKEN, [...identity, owner, issuedAt]);
        this.keep(key, { token, ciphertext, expiresAtMs: performance.now() + token.lifetimeSeconds * 1_000 });
      } else await tx.query(STORE_TOKEN, [...identity, owner, ciphertext, token.lifetimeSeconds, issuedAt]);
    });
    return { accessToken: token.accessToken, ciphertext, isDue: false };
  }

  async release(key: TokenKey, owner: string): Promise<void> {
    await this.run('token.release', key, (tx, identity) => tx.query(RELEASE_LOGIN, [...identity, owner]));
  }

  async pause(
    key: TokenKey,
    owner: string,
    { seconds, isAmbiguous }: { seconds: number; isAmbiguous: boolean },
  ): Promise<void> {
    await this.run('token.hold', key, async (tx, identity) => {
      await tx.query(PAUSE_LOGINS, [...identity, owner, seconds, isAmbiguous]);
      if (!isAmbiguous) await forgetAppointment(tx, key.environment, key);
    });
  }

  /** The API's database role sees only the tenant's own logins. */
  async findRecentLogins(key: TokenKey, freshSeconds: number): Promise<RecentLogins> {
    const parameters = [key.tenantId, key.environment, key.clientId, key.onBehalfOf, freshSeconds];
    const [row] = await this.tenants.inTenant(key, ({ tx }) =>
      tx.query<RecentLoginRow[]>(FIND_RECENT_LOGIN, parameters),
    );
    const { isRecent, tenantId, onBehalfOf, isFresh } = row;
    const other = tenantId === null || onBehalfOf === null ? null : { tenantId, onBehalfOf };
    return { isRecent, other, isFresh: isFresh === true };
  }

  async drop(key: TokenKey, token: StoredToken): Promise<void> {
    if (this.own.get(toName(key))?.ciphertext.equals(token.ciphertext)) this.own.delete(toName(key));
    await this.run('token.drop', key, (tx, identity) => tx.query(DROP_TOKEN, [...identity, token.ciphertext]));
  }

  /** @throws OperatorError if other processes are running and none of them uses our `SECRETS_KEY` */
  async requireSharedKey(key: TokenKey): Promise<void> {
    const { isOther, isShared } = await this.tenants.inTenant(key, ({ tx }) => this.compareKeys(tx));
    if (!isOther || isShared) return;
    throw new OperatorError(
      'SECRETS_KEY differs from that of the running APIs and dispatchers, which could not use the logins of this ' +
        'command. Set SECRETS_KEY to their value; "doctor" lists them',
    );
  }

  private open(key: TokenKey, row: RawRow): StoredToken | null {
    if (!isUsable(row)) return null;
    const token = openToken(this.configuration.secretsKey, key, row.ciphertext);
    return token === null ? null : toStored(token, row.ciphertext, Number(row.leftSeconds));
  }

  private openOwn(key: TokenKey, row: RawRow): StoredToken | null {
    const own = this.own.get(toName(key));
    if (own === undefined) return null;
    const leftSeconds = (own.expiresAtMs - performance.now()) / 1_000;
    if (isUsable(row) && leftSeconds > USABLE_SECONDS_LEFT) return toStored(own.token, own.ciphertext, leftSeconds);
    this.own.delete(toName(key));
    return null;
  }

  private keep(key: TokenKey, own: OwnToken): void {
    const [oldest] = this.own.keys();
    if (this.own.size >= OWN_TOKENS_MAX) this.own.delete(oldest);
    this.own.set(toName(key), own);
  }

  private async compareKeys(tx: EntityManager): Promise<KeyComparison> {
    const [row] = await tx.query<[KeyComparison]>(COMPARE_KEYS, [this.keyFingerprint]);
    return row;
  }

  private run<Result>(
    boundary: Boundary,
    key: TokenKey,
    work: (tx: EntityManager, identity: string[]) => Promise<Result>,
  ): Promise<Result> {
    const identity = [key.tenantId, key.environment, key.clientId, key.onBehalfOf];
    return withFailpoints(boundary, () => this.tenants.inTenant(key, ({ tx }) => work(tx, identity)));
  }
}

export async function forgetAppointment(
  tx: EntityManager,
  environment: Environment,
  { tenantId, onBehalfOf }: Pick<TokenKey, 'tenantId' | 'onBehalfOf'>,
): Promise<void> {
  await tx.query(FORGET_APPOINTMENT, [tenantId, environment, onBehalfOf]);
}

function isUsable(row: RawRow): row is RawRow & { readonly ciphertext: Buffer } {
  return row.ciphertext !== null && Number(row.leftSeconds ?? 0) > USABLE_SECONDS_LEFT;
}

function toStored(token: IssuedToken, ciphertext: Buffer, leftSeconds: number): StoredToken {
  // Prevents a short token lifetime from causing a login for each call.
  const isDue = leftSeconds < Math.min(REFRESH_SECONDS_LEFT, token.lifetimeSeconds / 2);
  return { accessToken: token.accessToken, ciphertext, isDue };
}

function toName({ tenantId, environment, clientId, onBehalfOf }: TokenKey): string {
  return JSON.stringify([tenantId, environment, clientId, onBehalfOf]);
}
