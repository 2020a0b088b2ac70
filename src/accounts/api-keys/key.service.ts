import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiKeyError } from '../../errors/api-error.js';
import { withFailpoints } from '../../common/failpoints/failpoints.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import type { Environment } from '../../config/environment.js';
import { type Caller, TenantTransactions } from '../../database/in-tenant.js';
import { ApiKey } from '../../entities/api-key.entity.js';
import type { OwnLimits } from '../../rate-limits/limits.js';
import { RecentKeys } from './recent-keys.js';

interface FoundKey {
  tenant_id: string;
  key_id: string;
  environment: Environment;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  now: Date;
  requests_per_minute: number | null;
  submits_per_minute: number | null;
  tin_checks_per_minute: number | null;
}

/** Includes objects that all requests with a key share, because thousands of polls may be held. */
interface KnownKey extends FoundKey, Pick<AuthenticatedKey, 'caller' | 'ownLimits'> {}

const FIND_KEY = /* sql */ `
  SELECT tenant_id, key_id, environment, expires_at, revoked_at, last_used_at, now, requests_per_minute,
         submits_per_minute, tin_checks_per_minute
    FROM find_caller_key($1)`;

export interface AuthenticatedKey {
  readonly caller: Caller & { readonly actor: { readonly keyId: string } };
  readonly receivedAt: Date;
  readonly ownLimits: OwnLimits;
}

// At most one write per minute (docs/rules.md#api-keys).
const LAST_USED_INTERVAL_MS = 60_000;

/** Runs a lookup, one at a time for networks that have used up their limit. */
type InTurn = <T>(lookUp: () => Promise<T>) => Promise<T>;

@Injectable()
export class KeyService {
  private readonly logger = new Logger(KeyService.name);
  private readonly recent = new RecentKeys<KnownKey>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TenantTransactions,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /**
   * Authenticates a key with a lookup at most half a second old (docs/rules.md#api-keys).
   * @param digest null for a malformed key
   * @throws ApiKeyError (401)
   */
  async authenticate(digest: Buffer | null, inTurn: InTurn): Promise<AuthenticatedKey> {
    const recent =
      digest === null ? undefined : await this.recent.find(digest, (sought) => inTurn(() => this.find(sought)));
    if (recent === undefined) throw new ApiKeyError('api_key_invalid', 'This API key is not known');
    const { found: key, age } = recent;
    if (key.revoked_at !== null) throw new ApiKeyError('api_key_revoked', 'This API key was revoked');
    const now = new Date(key.now.getTime() + age);
    if (key.expires_at !== null && key.expires_at <= now) {
      throw new ApiKeyError('api_key_expired', `This API key expired at ${key.expires_at.toISOString()}`);
    }
    if (this.configuration.authorities[key.environment] === undefined) {
      throw new ApiKeyError('api_key_wrong_environment', `This address does not serve ${key.environment} keys`);
    }
    if (key.last_used_at === null || now.getTime() - key.last_used_at.getTime() > LAST_USED_INTERVAL_MS) {
      // Set before the write, so that requests that share this lookup do not write too.
      key.last_used_at = now;
      this.touch(key).catch((error: unknown) =>
        this.logger.warn(`Last use of a key was not written: ${String(error)}`),
      );
    }
    return { caller: key.caller, receivedAt: now, ownLimits: key.ownLimits };
  }

  private async find(digest: Buffer): Promise<KnownKey | undefined> {
    const [key] = await this.dataSource.query<(FoundKey | undefined)[]>(FIND_KEY, [digest]);
    if (key === undefined) return undefined;
    const { tenant_id: tenantId, key_id: keyId, environment } = key;
    return {
      ...key,
      caller: { tenantId, environment, actor: { keyId } },
      ownLimits: {
        requests: key.requests_per_minute,
        submits: key.submits_per_minute,
        tinChecks: key.tin_checks_per_minute,
      },
    };
  }

  private touch(key: FoundKey): Promise<unknown> {
    const identity = { tenantId: key.tenant_id, id: key.key_id };
    return withFailpoints('key.touch', () =>
      this.transactions.inTenant({ tenantId: key.tenant_id }, ({ tx, now }) =>
        tx.update(ApiKey, identity, { lastUsedAt: now }),
      ),
    );
  }
}
