import type { Span } from '@opentelemetry/api';
import { applyDecorators } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { describeResponseHeaders } from '../common/response-headers.js';
import { ValidationError } from '../errors/api-error.js';
import { OtherQueryNames } from '../http/known-parameters.guard.js';
import { ApiStrictHandling, readBodyHandling } from '../http/request-headers.js';
import { readIdempotencyKey } from '../idempotency/idempotency.service.js';
import { SubmitAcceptedDto } from './dto/submit-accepted.dto.js';
import { SubmitDryRunDto } from './dto/submit-dry-run.dto.js';
import type { PreparedSubmit } from './prepare-submit.js';
import type { SubmitWorkers } from './submit-workers.js';

const NO_BODY = Buffer.from('null');

/** A submit without its body (docs/rules.md#dry-run). A dry run has no key. */
export type SubmitRequest = (
  { readonly isDryRun: true } | { readonly isDryRun: false; readonly key: string; readonly span?: Span }
) & {
  /** Required number of earlier attempts of each document. */
  readonly expectedAttempts?: number;
};

const DRY_RUN_CHOICE = 'dry_run_choice';

/**
 * Prepares the body. Must run before `readSubmitRequest`, because malformed JSON is refused before a missing
 * idempotency-key (docs/rules.md#order-of-checks).
 * @throws HttpProtocolError (400), UnavailableError (503)
 */
export function prepareBody(request: FastifyRequest, workers: SubmitWorkers): Promise<PreparedSubmit> {
  const { body: bytes = NO_BODY, receivedAt, reservation } = request;
  if (!Buffer.isBuffer(bytes) || receivedAt === undefined) {
    throw new Error('A submit needs a route that keeps the bytes of its body, and asks for a key or a session');
  }
  const { isStrict } = readBodyHandling(request);
  // Only large bodies have a reservation, and only they wait for a worker thread.
  const tenantId = reservation?.tenantId ?? '';
  return workers.prepare(bytes, { now: receivedAt, isStrict }, tenantId);
}

/** @throws ValidationError (400), IdempotencyKeyInvalidError (400) */
export function readSubmitRequest(request: FastifyRequest): SubmitRequest {
  if (readDryRun((request.query as Record<string, unknown>)['dryRun'])) return { isDryRun: true };
  return { isDryRun: false, key: readIdempotencyKey(request), span: request.span };
}

// A repeated parameter is an array, which is refused.
function readDryRun(dryRun: unknown): boolean {
  if (dryRun === undefined || dryRun === 'false') return false;
  if (dryRun === 'true') return true;
  const message = 'the query parameter dryRun must be true or false';
  throw new ValidationError([
    { pointer: '', rule: DRY_RUN_CHOICE, message, hint: 'send dryRun=true, or leave it out' },
  ]);
}

/** Omits `dryRun`, which would give the response two forms and make the idempotency-key optional. */
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

export const ApiDryRunRequest = (): MethodDecorator =>
  applyDecorators(
    ApiStrictHandling(),
    ApiOkResponse({
      type: SubmitDryRunDto,
      description: 'The service would queue all documents of the request.',
      headers: describeResponseHeaders('X-Credits-Charged', 'X-Credits-Remaining'),
    }),
  );
