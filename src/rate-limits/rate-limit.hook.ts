import { Inject, Injectable } from '@nestjs/common';
import { AddRouteConfig } from '../http/route-config.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FairSemaphore, NoSlotError } from '../common/fair-semaphore.js';
import { countRateLimited } from '../common/metrics.js';
import { toNetwork } from '../common/network.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import { DashboardTransactions } from '../database/database.module.js';
import {
  findNetworkLimit,
  findPersonLimit,
  formatPolicies,
  listCallerLimits,
  type NamedLimit,
} from './caller-limits.js';
import { type LimitedKind, NO_OWN_FIGURES } from './limits.js';
import { readOwnFigures } from './organisation-limits.js';
import { RateLimitedError } from './rate-limited-error.js';
import { RateLimiter } from './rate-limiter.service.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What its requests count as, in addition to requests. */
    limitedAs?: Exclude<LimitedKind, 'requests'>;
  }
}

/** Marks a handler whose requests have a limit in addition to that of all requests. */
export const LimitedAs = (limitedAs: Exclude<LimitedKind, 'requests'>): MethodDecorator =>
  AddRouteConfig({ limitedAs });

/** Of keys and sessions, from networks that have used up their limit; well below the connections of a process. */
const LOOK_UPS = { capacity: 2, share: 1, queueMax: 500, queuesMax: 5_000, waitMs: 4_000 };

/** Counts each request before its body is read (docs/rules.md#rate-limits). */
@Injectable()
export class RateLimitHook {
  private readonly lookUps = new FairSemaphore(LOOK_UPS);

  constructor(
    private readonly limiter: RateLimiter,
    private readonly transactions: DashboardTransactions,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /**
   * A request with a key that works, in the limits of the key and of its organisation.
   * @throws RateLimitedError (429) naming the limit that is used up
   */
  async countCaller(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { caller, ownFigures = NO_OWN_FIGURES } = request;
    if (caller === undefined) return;
    const { tenantId, actor } = caller;
    const keyId = 'keyId' in actor ? actor.keyId : undefined;
    const { limitedAs } = request.routeOptions.config;
    const kinds: readonly LimitedKind[] = limitedAs === undefined ? ['requests'] : ['requests', limitedAs];
    await this.count(reply, listCallerLimits(this.configuration.rateLimits, ownFigures, { tenantId, keyId }, kinds));
  }

  /**
   * A request of who is signed in, in their own limit.
   * @throws RateLimitedError (429)
   */
  async countPerson(userId: string): Promise<void> {
    const limit = findPersonLimit(this.configuration.rateLimits, userId);
    if (limit !== null && (await this.limiter.count([limit])) !== null) throw this.refuse(limit);
  }

  /**
   * A request of a member, in the limits of the organisation; what only shows a page is not counted in them.
   * @throws RateLimitedError (429) naming the limit that is used up
   */
  async countMember(request: FastifyRequest, reply: FastifyReply, tenantId: string): Promise<void> {
    const { limitedAs } = request.routeOptions.config;
    if (limitedAs === undefined) return;
    const ownFigures = await this.transactions.inTenant({ tenantId }, ({ tx }) => readOwnFigures(tx, tenantId));
    const kinds: readonly LimitedKind[] = ['requests', limitedAs];
    await this.count(reply, listCallerLimits(this.configuration.rateLimits, ownFigures, { tenantId }, kinds));
  }

  /**
   * A submit that no request makes, in the limits of the organisation.
   * @throws RateLimitedError (429) naming the limit that is used up
   */
  async countSubmit(tenantId: string): Promise<void> {
    const ownFigures = await this.transactions.inTenant({ tenantId }, ({ tx }) => readOwnFigures(tx, tenantId));
    const limits = listCallerLimits(this.configuration.rateLimits, ownFigures, { tenantId }, ['requests', 'submits']);
    const refused = limits.length === 0 ? null : await this.limiter.count(limits);
    if (refused !== null) throw this.refuse(refused);
  }

  private async count(reply: FastifyReply, limits: readonly NamedLimit[]): Promise<void> {
    if (limits.length === 0) return;
    const refused = await this.limiter.count(limits);
    void reply.header('RateLimit-Policy', formatPolicies(limits)).header('RateLimit', this.formatState(limits));
    if (refused !== null) throw this.refuse(refused);
  }

  /**
   * A request without a key or session that works, in the limit of its network.
   * @throws RateLimitedError (429)
   */
  async countAddress(request: FastifyRequest): Promise<void> {
    const use = request.routeOptions.config.isHealthCheck ? 'health' : 'requests';
    const limit = findNetworkLimit(this.configuration.rateLimits, toNetwork(request.ip), use);
    if (limit !== null && (await this.limiter.count([limit])) !== null) throw this.refuse(limit);
  }

  /**
   * Does what a key costs that this process has not just seen, or a session. When the limit of its network is used up,
   * those from there are looked up one after the other: guesses take one connection, and what works is still served.
   * @throws RateLimitedError (429) when too many of its network wait
   */
  async lookUpInTurn<T>({ ip }: FastifyRequest, lookUp: () => Promise<T>): Promise<T> {
    const limit = findNetworkLimit(this.configuration.rateLimits, toNetwork(ip), 'requests');
    if (limit === null || !this.limiter.isUsedUp(limit)) return lookUp();
    try {
      return await this.lookUps.run(limit.bucket, lookUp);
    } catch (error) {
      throw error instanceof NoSlotError ? this.refuse(limit) : error;
    }
  }

  private formatState(limits: readonly NamedLimit[]): string {
    return limits
      .map((limit) => {
        const { remaining, resetSeconds } = this.limiter.read(limit);
        return `"${limit.policy}";r=${remaining};t=${resetSeconds}`;
      })
      .join(', ');
  }

  private refuse(limit: NamedLimit): RateLimitedError {
    countRateLimited(limit.policy);
    return new RateLimitedError(limit.refusal, this.limiter.read(limit).resetSeconds);
  }
}
