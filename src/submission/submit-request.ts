import type { Span } from '@opentelemetry/api';
import { applyDecorators } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { describeResponseHeaders } from '../common/response-headers.js';
import { ValidationError } from '../errors/api-error.js';
import { OtherQueryNames } from '../http/known-parameters.guard.js';
import { ApiStrictHandling, readBodyHandling } from '../http/strict-handling.js';
import { readIdempotencyKey } from '../idempotency/idempotency-key.js';
import { SubmitAcceptedDto } from './dto/submit-accepted.dto.js';
import { SubmitDryRunDto } from './dto/submit-dry-run.dto.js';
import type { PreparedSubmit } from './prepare-submit.js';
import type { SubmitWorkers } from './submit-workers.js';

const NO_BODY = Buffer.from('null');

/**
 * What a submit asks for in addition to its body (docs/rules.md#dry-run). Only a call that is carried out has a key.
 */
export type SubmitRequest = (
  { readonly isDryRun: true } | { readonly isDryRun: false; readonly key: string; readonly span?: Span }
) & {
  /** How many attempts each document of the request has had; without it, any number. */
  readonly expectedAttempts?: number;
};

/** Identifier of what is wrong with the query. */
const DRY_RUN_CHOICE = 'dry_run_choice';

/**
 * Prepares the body of a submit. It comes before `readSubmitRequest`, because a body that is not JSON is refused before
 * a missing idempotency-key is (docs/rules.md#order-of-checks).
 * @throws HttpProtocolError (400), UnavailableError (503)
 */
export function prepareBody(request: FastifyRequest, workers: SubmitWorkers): Promise<PreparedSubmit> {
  const { body: bytes = NO_BODY, receivedAt, reservation } = request;
  if (!Buffer.isBuffer(bytes) || receivedAt === undefined) {
    throw new Error('A submit needs a route that keeps the bytes of its body, and asks for a key or a session');
  }
  const { isStrict } = readBodyHandling(request);
  // Only large bodies have a reservation. They wait for a worker thread, organisations in turn.
  const tenantId = reservation?.tenantId ?? '';
  return workers.prepare(bytes, { now: receivedAt, isStrict }, tenantId);
}

/**
 * Reads `dryRun` and, unless it is a dry run, the idempotency-key.
 * @throws ValidationError (400) naming dryRun when it is anything but true or false
 * @throws IdempotencyKeyInvalidError (400)
 */
export function readSubmitRequest(request: FastifyRequest): SubmitRequest {
  if (readDryRun((request.query as Record<string, unknown>)['dryRun'])) return { isDryRun: true };
  return { isDryRun: false, key: readIdempotencyKey(request), span: request.span };
}

// Sent twice it is a list, which is neither.
function readDryRun(dryRun: unknown): boolean {
  if (dryRun === undefined || dryRun === 'false') return false;
  if (dryRun === 'true') return true;
  const message = 'the query parameter dryRun must be true or false';
  throw new ValidationError([
    { pointer: '', rule: DRY_RUN_CHOICE, message, hint: 'send dryRun=true, or leave it out' },
  ]);
}

/**
 * Describes a submit in the OpenAPI document. `dryRun` is accepted and left out there: with it, the response would have
 * two forms, and the idempotency-key would not be required.
 */
export const ApiSubmitRequest = (): MethodDecorator =>
  applyDecorators(
    OtherQueryNames({ accepted: { dryRun: 'dryRun' } }),
    ApiStrictHandling(),
    ApiOkResponse({
      type: SubmitAcceptedDto,
      description: 'All documents of the request are queued.',
      headers: describeResponseHeaders('X-Credits-Charged', 'X-Credits-Remaining', 'Idempotent-Replayed'),
    }),
  );

/** Describes a dry run in the OpenAPI document. */
export const ApiDryRunRequest = (): MethodDecorator =>
  applyDecorators(
    ApiStrictHandling(),
    ApiOkResponse({
      type: SubmitDryRunDto,
      description: 'The service would queue all documents of the request.',
      headers: describeResponseHeaders('X-Credits-Charged', 'X-Credits-Remaining'),
    }),
  );
