import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, ApiSecurity, getSchemaPath } from '@nestjs/swagger';
import { type ResponseHeaderName, describeResponseHeaders } from '../common/response-headers.js';
import type { ApiError } from './api-error.js';
import { ErrorDto } from './dto/error.dto.js';
import { type ErrorMembers, getErrorBody, getErrorBodyName } from './error-bodies.js';
import type { ErrorCode } from './error-codes.js';
import type { Operation } from './explanation.js';
import { listErrors, listErrorStatuses } from './operation-errors.js';
import { buildErrorExamples } from './error-examples.js';

interface OwnErrors {
  readonly members?: ErrorMembers;
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

// Node, the router and the hooks refuse any request with these, before its operation sees it.
const COMMON_STATUSES = [400, 408, 429, 431, 500, 503];

// Their addresses have a part that the caller chooses, and that can be too long.
const WITH_PARAMETERS: readonly Operation[] = ['status', 'taxpayer'];

/**
 * Documents the key and every error response of an operation: one of the bodies of its codes, an example for each, and
 * its headers. Another address or method is no response of an operation (404 `route_not_found`, 405).
 * @param members what its own errors have in addition to the members of every error
 * @param examples of its own errors, made by their classes
 */
export function ApiErrors(operation: Operation, { members = {}, examples = [] }: OwnErrors = {}): MethodDecorator {
  const isPublic = PUBLIC.includes(operation);
  const responses = listStatuses(operation).map((status) => ({
    status,
    bodies: listErrors(operation, status).map(({ code }) => ({ code, body: getErrorBody(code, members) })),
  }));
  return applyDecorators(
    ...(isPublic ? [] : [ApiSecurity('X-API-Key'), ApiSecurity('Bearer')]),
    ApiExtraModels(ErrorDto, ...responses.flatMap(({ bodies }) => bodies.map(({ body }) => body))),
    ...responses.map(({ status, bodies }) =>
      ApiResponse({
        status,
        description: describe(operation, status),
        headers: describeResponseHeaders(...(HEADERS[status] ?? [])),
        content: {
          'application/json': {
            schema: describeOneOf(bodies.map(({ code }) => code)),
            examples: buildErrorExamples(operation, status, examples),
          },
        },
      }),
    ),
  );
}

function listStatuses(operation: Operation): number[] {
  const statuses = [
    ...listErrorStatuses(operation),
    ...COMMON_STATUSES,
    ...(PUBLIC.includes(operation) ? [] : [401]),
    ...(WITH_PARAMETERS.includes(operation) ? [414] : []),
  ];
  return [...new Set(statuses)].toSorted((a, b) => a - b);
}

function describeOneOf(codes: readonly ErrorCode[]) {
  const references = codes.map((code): [string, string] => [code, getSchemaPath(getErrorBodyName(code))]);
  return {
    oneOf: references.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: 'code', mapping: Object.fromEntries(references) },
  };
}

/** The codes of a status, those of the operation itself before those of every call. */
function describe(operation: Operation, status: number): string {
  const errors = listErrors(operation, status);
  const [own, common] = [errors.filter(({ operations }) => operations), errors.filter(({ operations }) => !operations)];
  return [...own, ...common].map(({ code, meaning }) => `\`${code}\`: ${meaning}`).join('\n\n');
}
