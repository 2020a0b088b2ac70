import { Injectable } from '@nestjs/common';
import { listOccurrences } from '../http/occurrences.js';
import { isPublic } from '../http/public-paths.js';
import { AddRouteConfig } from '../http/route-config.js';
import type { FastifyRequest } from 'fastify';
import type { AuthenticatedCaller } from '../database/in-tenant.js';
import type { OwnFigures } from '../rate-limits/limits.js';
import { RateLimitHook } from '../rate-limits/rate-limit.hook.js';
import { readKeyText } from './api-key.js';
import { digestApiKey, isApiKeyText } from './api-key-text.js';
import { type AuthenticatedKey, KeyService } from './key.service.js';

declare module 'fastify' {
  interface FastifyRequest {
    caller?: AuthenticatedCaller;
    /** What an operator has set of the rate limits of the caller's organisation. */
    ownFigures?: OwnFigures;
    /**
     * Checks the caller's key again, by a lookup that began after this moment of `performance.now()`.
     * @throws ApiKeyError (401) if it is now revoked or has expired
     */
    checkKeyAgain?: (since: number) => Promise<unknown>;
  }
  interface FastifyContextConfig {
    isPublic?: boolean;
  }
}

/** Marks a controller or handler that needs no API key. */
export const Public = (): MethodDecorator & ClassDecorator => AddRouteConfig({ isPublic: true });

/**
 * Checks the API key of every route that is not public. Not a Nest guard: Nest runs guards in the route
 * handler, after Fastify has read the body, and a caller without a valid key must not make the service read 10 MB.
 * `createApi` adds it as an `onRequest` hook; guards of a handler run later and find `request.caller`.
 */
@Injectable()
export class ApiKeyHook {
  constructor(
    private readonly keys: KeyService,
    private readonly limits: RateLimitHook,
  ) {}

  async onRequest(request: FastifyRequest): Promise<void> {
    request.access = null;
    if (isPublic(request)) return;
    const text = readKeyText({
      'x-api-key': listOccurrences(request.raw, 'x-api-key'),
      authorization: listOccurrences(request.raw, 'authorization'),
    });
    // Hashes the key once per request, because hashing takes as long as the lookup.
    const digest = isApiKeyText(text) ? digestApiKey(text) : null;
    const { caller, receivedAt, ownFigures } = await this.authenticate(request, digest, 0);
    request.caller = caller;
    request.receivedAt = receivedAt;
    request.ownFigures = ownFigures;
    request.checkKeyAgain = (since) => this.authenticate(request, digest, since);
    request.access = {
      granted: { keyId: caller.actor.keyId, tenantId: caller.tenantId },
      confirm: () => this.authenticate(request, digest, 0),
    };
  }

  private authenticate(request: FastifyRequest, digest: Buffer | null, since: number): Promise<AuthenticatedKey> {
    const inTurn = <T>(lookUp: () => Promise<T>): Promise<T> => this.limits.lookUpInTurn(request, lookUp);
    return this.keys.authenticate(digest, { since, inTurn });
  }
}
