import { Injectable } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { AuthenticatedCaller } from '../database/in-tenant.js';
import { readKeyText } from './api-key.js';
import { KeyService } from './key.service.js';

declare module 'fastify' {
  interface FastifyRequest {
    caller?: AuthenticatedCaller;
    /** Checks the key of the caller again. @throws ApiKeyError (401) once it is revoked or has expired */
    checkKeyAgain?: () => Promise<unknown>;
  }
  interface FastifyContextConfig {
    isPublic?: boolean;
  }
}

/** Opens a route: it answers without a key. */
export const Public = (): MethodDecorator & ClassDecorator => RouteConfig({ isPublic: true });

/**
 * The API's description, the dashboard's pages and the way to them are for everybody; libraries that know no
 * RouteConfig serve them.
 */
const PUBLIC_PATH = /^\/(?:$|api\/docs(?:$|[/-])|dashboard(?:$|\/))/;

/**
 * The key check of every route, closed unless opened. No Nest guard: it runs in Fastify's onRequest, since a guard runs
 * after the body has been read (docs/rules.md#order-of-checks). Guards of a handler run later and find
 * `request.caller`.
 */
@Injectable()
export class ApiKeyHook {
  constructor(private readonly keys: KeyService) {}

  async onRequest(request: FastifyRequest): Promise<void> {
    if (isPublic(request)) return;
    const text = readKeyText(request.raw.headersDistinct);
    request.caller = await this.keys.authenticate(text);
    request.checkKeyAgain = () => this.keys.authenticate(text);
  }
}

function isPublic(request: FastifyRequest): boolean {
  const { config, url } = request.routeOptions;
  return config.isPublic === true || PUBLIC_PATH.test(url ?? '');
}
