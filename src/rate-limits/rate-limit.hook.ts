import { Inject, Injectable } from '@nestjs/common';
import { AddRouteConfig } from '../http/route-config.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { countRateLimited } from '../common/metrics.js';
import { toNetwork } from '../common/network.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import { findNetworkLimit, formatPolicies, listCallerLimits, type NamedLimit } from './caller-limits.js';
import { type LimitedKind, NO_OWN_FIGURES } from './limits.js';
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

const HEALTH_PATH = /^\/api\/health\//;

/** Counts each request before its body is read (docs/rules.md#rate-limits). */
@Injectable()
export class RateLimitHook {
  constructor(
    private readonly limiter: RateLimiter,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /**
   * A request with a key that works, in the limits of the key and of its organisation.
   * @throws RateLimitedError (429) naming the limit that is used up
   */
  async countCaller(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { caller, ownFigures = NO_OWN_FIGURES } = request;
    if (caller === undefined) return;
    const { limitedAs } = request.routeOptions.config;
    const kinds: readonly LimitedKind[] = limitedAs === undefined ? ['requests'] : ['requests', limitedAs];
    const limits = listCallerLimits(this.configuration.rateLimits, ownFigures, caller, kinds);
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
    const use = HEALTH_PATH.test(request.routeOptions.url ?? '') ? 'health' : 'requests';
    const limit = findNetworkLimit(this.configuration.rateLimits, toNetwork(request.ip), use);
    if (limit === null) return;
    if ((await this.limiter.count([limit])) !== null) throw this.refuse(limit);
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
