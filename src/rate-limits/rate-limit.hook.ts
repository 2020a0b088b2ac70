import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FairSemaphore, NoSlotError } from '../common/fair-semaphore.js';
import { countRateLimited } from '../common/metrics.js';
import { toNetwork } from '../common/network.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import { DashboardTransactions } from '../database/database.module.js';
import { AddRouteConfig } from '../http/route-config.js';
import { findNetworkLimit, findUserLimit, formatPolicies, listCallerLimits, type NamedLimit } from './caller-limits.js';
import { type LimitedKind, NO_OWN_LIMITS } from './limits.js';
import { readOwnLimits } from './organisation-limits.js';
import { RateLimitedError } from './rate-limited-error.js';
import { RateLimiter } from './rate-limiter.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The limit against which requests count in addition to `requests`. */
    limitedAs?: Exclude<LimitedKind, 'requests'>;
  }
}

export const LimitedAs = (limitedAs: Exclude<LimitedKind, 'requests'>): MethodDecorator =>
  AddRouteConfig({ limitedAs });

/** Bounds lookups of keys and sessions for networks that have used up their limit. */
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

  /** Counts a request with a valid key against the limits of key and organisation. @throws RateLimitedError (429) */
  countCaller(request: FastifyRequest, reply: FastifyReply): void {
    const { caller, ownLimits = NO_OWN_LIMITS } = request;
    if (caller === undefined) return;
    const { tenantId, actor } = caller;
    const keyId = 'keyId' in actor ? actor.keyId : undefined;
    const { limitedAs } = request.routeOptions.config;
    const kinds: readonly LimitedKind[] = limitedAs === undefined ? ['requests'] : ['requests', limitedAs];
    this.countWithHeaders(
      reply,
      listCallerLimits(this.configuration.rateLimits, ownLimits, { tenantId, keyId }, kinds),
    );
  }

  countUser(userId: string): void {
    const limit = findUserLimit(this.configuration.rateLimits, userId);
    if (limit !== null) this.count([limit]);
  }

  async countMember(request: FastifyRequest, reply: FastifyReply, tenantId: string): Promise<void> {
    const { limitedAs } = request.routeOptions.config;
    if (limitedAs === undefined) return;
    this.countWithHeaders(reply, await this.listOrganisationLimits(tenantId, limitedAs));
  }

  async countSubmit(tenantId: string): Promise<void> {
    this.count(await this.listOrganisationLimits(tenantId, 'submits'));
  }

  /** Counts a request without a valid key or session against the limit of its network. */
  countAddress(request: FastifyRequest): void {
    const use = request.routeOptions.config.isHealthCheck ? 'health' : 'requests';
    const limit = findNetworkLimit(this.configuration.rateLimits, toNetwork(request.ip), use);
    if (limit !== null) this.count([limit]);
  }

  /**
   * Looks up a key or session, one at a time for networks that have used up their limit. @throws RateLimitedError (429)
   */
  async lookUpInTurn<T>({ ip }: FastifyRequest, lookUp: () => Promise<T>): Promise<T> {
    const limit = findNetworkLimit(this.configuration.rateLimits, toNetwork(ip), 'requests');
    if (limit === null || !this.limiter.isUsedUp(limit)) return lookUp();
    try {
      return await this.lookUps.run(limit.bucket, lookUp);
    } catch (error) {
      throw error instanceof NoSlotError ? this.buildError(limit) : error;
    }
  }

  private async listOrganisationLimits(
    tenantId: string,
    limitedAs: Exclude<LimitedKind, 'requests'>,
  ): Promise<NamedLimit[]> {
    const ownLimits = await this.transactions.inTenant({ tenantId }, ({ tx }) => readOwnLimits(tx, tenantId));
    return listCallerLimits(this.configuration.rateLimits, ownLimits, { tenantId }, ['requests', limitedAs]);
  }

  private countWithHeaders(reply: FastifyReply, limits: readonly NamedLimit[]): void {
    if (limits.length === 0) return;
    try {
      this.count(limits);
    } finally {
      void reply.header('RateLimit-Policy', formatPolicies(limits)).header('RateLimit', this.formatState(limits));
    }
  }

  private count(limits: readonly NamedLimit[]): void {
    const usedUp = this.limiter.count(limits);
    if (usedUp === null) return;
    countRateLimited(usedUp.policy);
    throw this.buildError(usedUp);
  }

  private formatState(limits: readonly NamedLimit[]): string {
    const seconds = this.limiter.countResetSeconds();
    return limits.map((limit) => `"${limit.policy}";r=${this.limiter.countRemaining(limit)};t=${seconds}`).join(', ');
  }

  private buildError({ refusal }: NamedLimit): RateLimitedError {
    return new RateLimitedError(refusal, this.limiter.countResetSeconds());
  }
}
