import type { Span } from '@opentelemetry/api';
import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { describeResponseHeaders } from '../common/response-headers.js';
import { ValidationError } from '../errors/api-error.js';
import { OtherQueryNames } from '../http/known-parameters.guard.js';
import { ApiStrictHandling } from '../http/strict-handling.decorator.js';
import { readIdempotencyKey } from '../idempotency/idempotency-key.decorator.js';
import { SubmitAcceptedDto } from './dto/submit-accepted.dto.js';
import { SubmitDryRunDto } from './dto/submit-dry-run.dto.js';

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
 * Reads `dryRun` and, unless it is a dry run, the idempotency-key.
 * @throws ValidationError (400) naming dryRun when it is anything but true or false
 * @throws IdempotencyKeyInvalidError (400)
 */
export const RequestedSubmit = createParamDecorator((_: unknown, context: ExecutionContext): SubmitRequest => {
  const request = context.switchToHttp().getRequest<FastifyRequest<{ Querystring: Record<string, unknown> }>>();
  if (readDryRun(request.query['dryRun'])) return { isDryRun: true };
  return { isDryRun: false, key: readIdempotencyKey(request), span: request.span };
});

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
