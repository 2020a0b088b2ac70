import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, ApiSecurity, getSchemaPath } from '@nestjs/swagger';
import { type ResponseHeaderName, describeResponseHeaders } from '../common/response-headers.js';
import type { ApiError } from './api-error.js';
import { ErrorDto, InsufficientCreditsDto, ValidationErrorDto } from './dto/error.dto.js';
import type { Operation } from './explanation.js';
import { listErrors, listErrorStatuses } from './operation-errors.js';
import { buildErrorExamples } from './error-examples.js';

type ErrorBody = new () => ErrorDto;

interface OwnErrors {
  readonly conflict?: ErrorBody;
  readonly examples?: readonly ApiError[];
}

const HEADERS: Readonly<Record<number, readonly ResponseHeaderName[]>> = {
  401: ['WWW-Authenticate'],
  402: ['X-Credits-Remaining'],
  409: ['Retry-After'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

// Its health is asked for without a key.
const PUBLIC: readonly Operation[] = ['live', 'ready'];

/**
 * Documents the key and every error response of an operation, each with its body, an example for every code, and its
 * headers. What any call can meet before it is an operation's (404, 405, 408, 414, 431) is in the docs alone.
 * @param conflict body of the operation's 409
 * @param examples of its own errors, made by their classes
 */
export function ApiErrors(
  operation: Operation,
  { conflict = ErrorDto, examples = [] }: OwnErrors = {},
): MethodDecorator {
  const isPublic = PUBLIC.includes(operation);
  const statuses = [...listErrorStatuses(operation), ...(isPublic ? [] : [401]), 429, 500, 503];
  const responses = [...new Set(statuses)]
    .toSorted((a, b) => a - b)
    .map((status) => ({ status, body: chooseBody(operation, status, conflict) }));
  return applyDecorators(
    ...(isPublic ? [] : [ApiSecurity('X-API-Key'), ApiSecurity('Bearer')]),
    ApiExtraModels(...responses.map(({ body }) => body)),
    ...responses.map(({ status, body }) =>
      ApiResponse({
        status,
        description: describe(operation, status),
        headers: describeResponseHeaders(...(HEADERS[status] ?? [])),
        content: {
          'application/json': {
            schema: { $ref: getSchemaPath(body) },
            examples: buildErrorExamples(operation, status, examples),
          },
        },
      }),
    ),
  );
}

function chooseBody(operation: Operation, status: number, conflict: ErrorBody): ErrorBody {
  if (status === 402) return InsufficientCreditsDto;
  if (status === 409) return conflict;
  const isValidated = listErrors(operation, status).some(({ code }) => code === 'validation_failed');
  return isValidated ? ValidationErrorDto : ErrorDto;
}

/** The codes of a status, those of the operation itself before those of every call. */
function describe(operation: Operation, status: number): string {
  const errors = listErrors(operation, status);
  const [own, common] = [errors.filter(({ operations }) => operations), errors.filter(({ operations }) => !operations)];
  return [...own, ...common].map(({ code, meaning }) => `\`${code}\`: ${meaning}`).join('\n\n');
}
