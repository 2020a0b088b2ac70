import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { AuthenticatedCaller } from '../../database/in-tenant.js';
import { ApiKeyError } from '../../errors/api-error.js';
import { isPublic } from '../../http/public-paths.js';
import { listOccurrences } from '../../http/request-headers.js';
import { AddRouteConfig } from '../../http/route-config.js';
import type { OwnLimits } from '../../rate-limits/limits.js';
import { RateLimitHook } from '../../rate-limits/rate-limit.hook.js';
import { digestApiKey, isApiKeyText, hasMoreThanKey } from './api-key-text.js';
import { type AuthenticatedKey, KeyService } from './key.service.js';

declare module 'fastify' {
  interface FastifyRequest {
    caller?: AuthenticatedCaller;
    ownLimits?: OwnLimits;
  }
  interface FastifyContextConfig {
    isPublic?: boolean;
  }
}

export const Public = (): MethodDecorator & ClassDecorator => AddRouteConfig({ isPublic: true });

/** Checks the API key before the body is read; a Nest guard would run after up to 10 MB were read. */
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
    // Hashing takes as long as the lookup, so it is done once.
    const digest = isApiKeyText(text) ? digestApiKey(text) : null;
    const { caller, receivedAt, ownLimits } = await this.authenticate(request, digest);
    request.caller = caller;
    request.receivedAt = receivedAt;
    request.ownLimits = ownLimits;
    request.access = {
      granted: { keyId: caller.actor.keyId, tenantId: caller.tenantId },
      confirm: () => this.authenticate(request, digest),
    };
  }

  private authenticate(request: FastifyRequest, digest: Buffer | null): Promise<AuthenticatedKey> {
    const inTurn = <T>(lookUp: () => Promise<T>): Promise<T> => this.limits.lookUpInTurn(request, lookUp);
    return this.keys.authenticate(digest, inTurn);
  }
}

interface KeyHeaders {
  readonly 'x-api-key'?: readonly string[];
  readonly authorization?: readonly string[];
}

/**
 * Reads the key. Next to `X-API-Key`, Authorization may contain credentials for a gateway. @throws ApiKeyError (401)
 */
function readKeyText(headers: KeyHeaders): string {
  const texts = new Set((headers['x-api-key'] ?? []).map((value) => value.trim()));
  texts.delete('');
  for (const text of texts) if (hasScheme(text)) throw new ApiKeyError('api_key_invalid', SCHEME_IN_OWN_HEADER);
  const hasOwnHeader = texts.size > 0;
  for (const value of headers.authorization ?? []) {
    if (!hasOwnHeader || BEARER_SCHEME.test(value)) texts.add(readBearerToken(value));
  }
  texts.delete('');
  const [text, ...others] = texts;
  if (text === undefined) {
    throw new ApiKeyError('api_key_missing', 'An API key is required, in X-API-Key or in Authorization: Bearer');
  }
  if (others.length > 0) {
    throw new ApiKeyError('api_key_invalid', 'X-API-Key and Authorization carry different API keys; send one');
  }
  return text;
}

const SCHEME_IN_OWN_HEADER =
  'X-API-Key must be the API key alone; remove "Bearer", "ApiKey", quotation marks and everything else around it, or send ' +
  'it as Authorization: Bearer';
const BEARER_SCHEME = /^\s*Bearer(?:\s|$)/i;

function hasScheme(text: string): boolean {
  return BEARER_SCHEME.test(text) || hasMoreThanKey(text);
}

function readBearerToken(header: string): string {
  const [, token] = /^Bearer +(\S+) *$/i.exec(header.trim()) ?? [];
  if ((token === undefined && header.trim() !== '') || hasMoreThanKey(token ?? '')) {
    const message =
      'The Authorization header must be the word Bearer, a space and the API key, without quotation marks';
    throw new ApiKeyError('api_key_invalid', message);
  }
  return token ?? '';
}
