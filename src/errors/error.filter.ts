import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NoSlotError } from '../common/fair-semaphore.js';
import { isOutOfDescriptors } from '../common/out-of-descriptors.js';
import { isDatabaseUnavailable, isDiskFull } from './database-unavailable.js';
import { buildErrorBody } from './error-body.js';
import type { ErrorCode } from './error-codes.js';
import { ApiError, ApiKeyError, HttpProtocolError } from './api-error.js';

/** Converts all exceptions to the common error body (docs/rules.md#error-responses). */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const { status, headers, body } = describeError(error, reply);
    void reply.status(status).headers(headers).type('application/json; charset=utf-8').send(body);
  }
}

const logger = new Logger(ErrorFilter.name);

/** Builds the response to an exception. Logs failures of the service. */
export function describeError(error: unknown, reply: FastifyReply): ErrorResult {
  const { request } = reply;
  const known = findKnownError(error, request);
  if (isDiskFull(error)) {
    logger.error({ requestId: request.id, error: `The database's disk is full: ${error.message}` });
  } else if (known === null || isOutOfDescriptors(error)) {
    logger.error({ requestId: request.id, error: error instanceof Error ? error.stack : String(error) });
  }
  const { status, code, message, headers, facts } = known ?? INTERNAL_ERROR;
  request.errorCode = code;
  // A key revoked during a held response no longer has an environment.
  if (error instanceof ApiKeyError) reply.removeHeader('X-Environment');
  return { status, headers, body: buildErrorBody({ message, code, requestId: request.id }, facts) };
}

export interface ErrorResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Error code of the response, for the log. */
    errorCode?: string;
  }
}

interface ErrorResponse {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly facts: Record<string, unknown>;
}

const INTERNAL_ERROR: ErrorResponse = {
  status: 500,
  code: 'internal_error',
  message: 'Internal error',
  headers: {},
  facts: {},
};

// Freeing disk space takes longer than restarting a database, so the client waits longer.
const DISK_FULL_MESSAGE =
  "The disk of the service's database is full, so the request was not stored or charged; retry with the same idempotency-key and " +
  'body when the operator has made room';

const OUT_OF_DESCRIPTORS_MESSAGE =
  'The service has too many connections and files open; retry with the same idempotency-key and body';

function findKnownError(error: unknown, request: FastifyRequest): ErrorResponse | null {
  if (error instanceof ApiError) return toErrorResponse(error);
  if (isDiskFull(error)) {
    return toErrorResponse(
      new HttpProtocolError(503, 'service_unavailable', DISK_FULL_MESSAGE, { 'Retry-After': '30' }),
    );
  }
  if (isOutOfDescriptors(error)) {
    return toErrorResponse(
      new HttpProtocolError(503, 'service_unavailable', OUT_OF_DESCRIPTORS_MESSAGE, { 'Retry-After': '2' }),
    );
  }
  if (isDatabaseUnavailable(error)) {
    const message = 'The service cannot reach its database; retry with the same idempotency-key and body';
    return toErrorResponse(new HttpProtocolError(503, 'service_unavailable', message, { 'Retry-After': '2' }));
  }
  if (error instanceof NoSlotError) return toErrorResponse(buildBusyError(error));
  if (error instanceof HttpException) return toErrorResponse(toProtocolError(error, request));
  return null;
}

const SHARE_USED =
  'Your organisation has too many requests under way; send fewer at the same time, and retry with the same ' +
  'idempotency-key and body';
const ALL_USED = 'The service has too many requests under way; retry with the same idempotency-key and body';

function buildBusyError({ isShareUsed }: NoSlotError): HttpProtocolError {
  const headers = { 'Retry-After': '2' };
  return isShareUsed
    ? new HttpProtocolError(429, 'too_many_concurrent_requests', SHARE_USED, headers)
    : new HttpProtocolError(503, 'service_unavailable', ALL_USED, headers);
}

function toErrorResponse(error: ApiError): ErrorResponse {
  const { status, code, message, headers } = error;
  return { status, code, message, headers, facts: error.details() };
}

/** Converts errors of Fastify and Nest to codes of this API. */
function toProtocolError(error: HttpException, request: FastifyRequest): HttpProtocolError {
  const status = error.getStatus();
  const { code, message } = PROTOCOL_ERRORS[status] ?? { code: 'bad_request', message: error.message };
  return new HttpProtocolError(status, code, message.replace('{route}', `${request.method} ${readPath(request.url)}`));
}

const PROTOCOL_ERRORS: Readonly<Record<number, { code: ErrorCode; message: string } | undefined>> = {
  404: { code: 'route_not_found', message: 'No such route: {route}' },
  405: { code: 'method_not_allowed', message: 'This method is not allowed here: {route}' },
  414: { code: 'uri_too_long', message: 'The address of the request is too long' },
  415: {
    code: 'unsupported_media_type',
    message: 'The body must be sent uncompressed with Content-Type: application/json, without Content-Encoding',
  },
};

function readPath(url: string): string {
  return url.split('?', 1)[0].slice(0, 200);
}
