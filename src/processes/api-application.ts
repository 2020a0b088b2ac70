import type { Server, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { NotFoundException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiModule } from './api.module.js';
import { confirmAccessOfRequests } from '../accounts/api-keys/access.hook.js';
import { ApiKeyHook } from '../accounts/api-keys/api-key.hook.js';
import { respondToClientError, respondToRouterError } from '../errors/client-error.js';
import { ApiError, HttpProtocolError } from '../errors/api-error.js';
import { ErrorFilter } from '../errors/error.filter.js';
import { recordMethods } from '../http/allowed-methods.js';
import { compressMarkedResponses } from '../http/compression.js';
import { DrainService } from '../observability/health/drain.service.js';
import { acceptJsonOnly } from '../http/json-body.js';
import { createLogger, logRequests, NestLogger } from '../common/logging.js';
import { PROTECTIVE_HEADERS } from '../common/response-headers.js';
import { isPage } from '../http/public-paths.js';
import { measureRequests } from '../common/metrics.js';
import type { Configuration } from '../config/configuration.js';
import { assertDatabase } from '../database/connection-role.js';
import { findMemberTenantId } from '../dashboard-api/session/access.js';
import { SessionHook } from '../dashboard-api/session/session.hook.js';
import { servePages } from '../dashboard-api/pages.js';
import { showRefusals } from '../dashboard-api/refusal-page.js';
import { traceRequests } from '../observability/tracing/trace-requests.js';
import { Tracing } from '../observability/tracing/tracing.js';
import { RateLimitHook } from '../rate-limits/rate-limit.hook.js';
import { serveDocsSite } from './docs-site.js';
import { GLOBAL_PREFIX, serveApiDescription } from './openapi.js';
import { createId } from '../common/ids.js';

// Limits how long slow clients can occupy a connection.
const REQUEST_TIMEOUT_MS = 30_000;
const REQUEST_TIMEOUT_CHECK_MS = 5_000;
// Longer than a load balancer's usual 60 s, so that the service never closes a connection that is about to be reused.
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
const PATH_SEGMENT_CHARACTERS_MAX = 200;
/**
 * Connections that may wait for the process: after a restart of a proxy, thousands of polling clients connect within a
 * second. The kernel's limit is net.core.somaxconn.
 */
export const LISTEN_BACKLOG = 4_096;

export interface ApiOptions {
  readonly logFile?: string;
  readonly repeatsLoops?: boolean;
}

/**
 * Creates the API, ready to listen.
 * @throws Error if the database refuses the connection or the role is not that of the API
 */
export async function createApi(
  configuration: Configuration,
  { repeatsLoops = true, ...options }: ApiOptions = {},
): Promise<NestFastifyApplication> {
  await assertDatabase(configuration);
  const logger = createLogger({ level: configuration.logLevel, ...options });
  const adapter = new FastifyAdapter({
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Node limits the whole request by the longer of both timeouts; its default for headers is 60 s.
    http: {
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: REQUEST_TIMEOUT_CHECK_MS,
      // Node would reject such a request with an empty body.
      requireHostHeader: false,
    },
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    routerOptions: { maxParamLength: PATH_SEGMENT_CHARACTERS_MAX, ignoreTrailingSlash: true },
    // `ip` and `protocol` of requests from these proxies are the client's.
    trustProxy: configuration.trustedProxies.length > 0 && [...configuration.trustedProxies],
    genReqId: chooseRequestId,
    clientErrorHandler: respondToClientError,
    frameworkErrors: respondToRouterError,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  });
  const application = await NestFactory.create<NestFastifyApplication>(
    ApiModule.forRoot(configuration, { repeatsLoops }),
    adapter,
    {
      logger: new NestLogger(logger),
      bodyParser: false,
      abortOnError: false,
    },
  );
  application.setGlobalPrefix(GLOBAL_PREFIX);
  application.useGlobalFilters(new ErrorFilter());
  addHooks(application, logger);
  ignoreUnknownExpectations(adapter.getInstance());
  serveApiDescription(application);
  await servePages(adapter.getInstance());
  serveDocsSite(adapter.getInstance());
  await application.init();
  await adapter.getInstance().ready();
  return application;
}

export async function stopApi(application: NestFastifyApplication): Promise<void> {
  await application.get(DrainService).run();
  await application.close();
}

// Fastify's own response during a close has another format.
const CLOSING = new HttpProtocolError(503, 'service_unavailable', 'This process is stopping; send the request again', {
  'Retry-After': '1',
});

const GONE = new HttpProtocolError(400, 'malformed_request', 'The connection was closed');
const WITHOUT_HOST = new HttpProtocolError(
  400,
  'malformed_request',
  'The Host header is missing; send the name of this host',
);

function assertAddressed({ ip, headers, raw }: FastifyRequest): void {
  // Node caches the address on this first access.
  if ((ip as string | undefined) === undefined) throw GONE;
  if (headers.host === undefined && raw.httpVersion === '1.1') throw WITHOUT_HOST;
}

function buildNoRouteError({ method, url }: FastifyRequest, allowed: readonly string[]): Error {
  if (allowed.length === 0 || allowed.includes(method)) return new NotFoundException();
  const methods = allowed.join(', ');
  const path = url.split('?', 1)[0].slice(0, PATH_SEGMENT_CHARACTERS_MAX);
  const message = `${path} does not accept ${method}; use ${methods}`;
  return new HttpProtocolError(405, 'method_not_allowed', message, { Allow: methods });
}

/** Adds the hooks of every request, in the order of docs/rules.md#order-of-checks. */
function addHooks(application: NestFastifyApplication, logger: Logger): void {
  const fastify = application.getHttpAdapter().getInstance();
  const keys = application.get(ApiKeyHook);
  const sessions = application.get(SessionHook);
  const limits = application.get(RateLimitHook);
  const drain = application.get(DrainService);
  const listMethods = recordMethods(fastify);
  let isClosing = false;
  fastify.server.on('connection', (connection: Socket) => drain.addConnection(connection));
  traceRequests(fastify, application.get(Tracing));
  fastify.addHook('preClose', (done) => {
    isClosing = true;
    drain.closeConnections();
    endConnections(fastify.server, drain);
    done();
  });
  const identify = async (request: FastifyRequest): Promise<void> => {
    // An unknown address needs no key.
    if (request.is404) throw buildNoRouteError(request, listMethods(request.url));
    const { access } = request.routeOptions.config;
    if (access === undefined) await keys.onRequest(request);
    else await sessions.onRequest(request, access);
  };
  fastify.addHook('onRequest', async (request, reply) => {
    void reply.headers({ ...PROTECTIVE_HEADERS, 'X-Request-Id': request.id });
    drain.beginResponse(reply.raw);
    if (isClosing) throw CLOSING;
    assertAddressed(request);
    try {
      await identify(request);
    } catch (error) {
      // Failures of the service do not count as wrong keys.
      if (error instanceof ApiError || error instanceof NotFoundException) limits.countAddress(request);
      throw error;
    }
    if (request.caller !== undefined) {
      void reply.header('X-Environment', request.caller.environment);
      limits.countCaller(request, reply);
    } else if (request.session === undefined) {
      if (!isPage(request)) limits.countAddress(request);
    } else {
      limits.countUser(request.session.userId);
      const tenantId = findMemberTenantId(request);
      if (tenantId !== null) await limits.countMember(request, reply, tenantId);
    }
    await sessions.countAttempt(request);
  });
  acceptJsonOnly(fastify, (request) => request.caller?.tenantId ?? findMemberTenantId(request));
  confirmAccessOfRequests(fastify);
  showRefusals(fastify);
  compressMarkedResponses(fastify);
  fastify.addHook('onResponse', (_request, reply, done) => {
    drain.endResponse(reply.raw);
    done();
  });
  logRequests(fastify, logger);
  measureRequests(fastify);
}

// Together with DRAIN_SECONDS less than the 45 s after which systemd and Docker kill the process.
const REQUESTS_MS_MAX = 25_000;
const IDLE_CHECK_MS = 500;

/**
 * Closes connections when they become idle, and all of them after a time limit. Node keeps connections with a running
 * response open, and no longer limits requests while the server closes.
 */
function endConnections(server: Server, drain: DrainService): void {
  drain.closeIdleConnections();
  const idle = setInterval(() => drain.closeIdleConnections(), IDLE_CHECK_MS).unref();
  const all = setTimeout(() => server.closeAllConnections(), REQUESTS_MS_MAX).unref();
  server.once('close', () => {
    clearInterval(idle);
    clearTimeout(all);
  });
}

/** Prevents Node's 417 response, which has no body. */
function ignoreUnknownExpectations({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

const REQUEST_ID_SHAPE = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the caller's `X-Request-Id` if it is well-formed, otherwise a new id (docs/rules.md#error-responses). */
function chooseRequestId(request: IncomingMessage): string {
  const header = request.headers['x-request-id'];
  return typeof header === 'string' && REQUEST_ID_SHAPE.test(header) ? header : createId(new Date());
}
