import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, ApiSecurity, getSchemaPath, ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type ResponseHeaderName, describeResponseHeaders } from '../common/response-headers.js';
import { type ApiError, HttpProtocolError, ValidationError } from './api-error.js';
import {
  ErrorDto,
  InsufficientCreditsDto,
  SupplierNotVerifiedDto,
  SupplierProfileIncompleteDto,
  ValidationFailedDto,
} from './dto/error.dto.js';
import { type ErrorCode, ERROR_CODES } from './error-codes.js';
import type { Operation, ErrorCodeEntry } from './explanation.js';
import { buildErrorBody } from './error-body.js';

const REQUEST_ID = '019a8b5e-7c1f-7000-8000-000000000009';

/** Default examples for operations without their own. */
const COMMON_EXAMPLES: readonly ApiError[] = [
  new HttpProtocolError(500, 'internal_error', 'Internal error'),
  new ValidationError([
    {
      pointer: '/verbose',
      rule: 'parameter_unknown',
      message: 'is not a known query parameter',
      hint: 'leave it out: this operation has no query parameters',
    },
  ]),
];

/**
 * Builds an example body for each error code of an operation and status.
 * @param known errors created by the classes that respond with them, so that the examples have the real members
 */
function buildErrorExamples(
  operation: Operation,
  status: number,
  known: readonly ApiError[],
): Record<string, { value: object }> {
  const errors = listErrors(operation, status).map(
    ({ code, meaning }) =>
      [...known, ...COMMON_EXAMPLES].find((error) => error.code === code) ??
      // Errors without a class have only a message.
      new HttpProtocolError(ERROR_CODES[code].status, code, meaning),
  );
  return Object.fromEntries(
    errors.map((error) => {
      const { code, message } = error;
      return [code, { value: buildErrorBody({ message, code, requestId: REQUEST_ID }, error.details()) }];
    }),
  );
}

type DtoClass = new () => object;

/** Additional members of a feature's errors, by code. */
type ErrorMembers = Readonly<Partial<Record<ErrorCode, DtoClass>>>;

const SHARED_MEMBERS: ErrorMembers = {
  validation_failed: ValidationFailedDto,
  supplier_profile_incomplete: SupplierProfileIncompleteDto,
  supplier_not_verified: SupplierNotVerifiedDto,
  insufficient_credits: InsufficientCreditsDto,
};

// Cached per code because operations share codes.
const bodies = new Map<ErrorCode, DtoClass>();

/** Returns the OpenAPI schema of an error: the common members, a constant `code` and the members specific to it. */
function getErrorBody(code: ErrorCode, members: ErrorMembers = {}): DtoClass {
  const known = bodies.get(code);
  if (known !== undefined) return known;
  const body = class extends (members[code] ?? SHARED_MEMBERS[code] ?? class {}) {};
  const schema = {
    name: getErrorBodyName(code),
    description: ERROR_CODES[code].meaning,
    allOf: [{ $ref: getSchemaPath(ErrorDto) }],
  };
  ApiSchema(schema)(body);
  ApiProperty({ type: String, enum: [code], example: code, description: 'Which error it is.' })(body.prototype, 'code');
  bodies.set(code, body);
  return body;
}

function getErrorBodyName(code: string): string {
  const words = code.replace(/_error$/, '').split('_');
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Error`;
}

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

// Operations without an API key.
const PUBLIC: readonly Operation[] = ['live', 'ready'];

// Errors that Node, the router or the hooks return before the operation runs.
const COMMON_STATUSES = [400, 408, 429, 431, 500, 503];

// Operations with a path parameter, which can make the URL too long.
const WITH_PARAMETERS: readonly Operation[] = ['status', 'taxpayer'];

/**
 * Documents the API key and all error responses of an operation, with bodies, examples and headers. Unknown routes and
 * methods (404 `route_not_found`, 405) do not belong to an operation.
 * @param members additional members of the operation's errors
 * @param examples of the operation's errors
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

/** Describes the codes of a status, those specific to the operation first. */
function describe(operation: Operation, status: number): string {
  const errors = listErrors(operation, status);
  const [own, common] = [errors.filter(({ operations }) => operations), errors.filter(({ operations }) => !operations)];
  return [...own, ...common].map(({ code, meaning }) => `\`${code}\`: ${meaning}`).join('\n\n');
}

/** Lists the errors of an operation with a given status. */
export function listErrors(operation: Operation, status: number): (ErrorCodeEntry & { code: ErrorCode })[] {
  return Object.entries<ErrorCodeEntry>(ERROR_CODES)
    .map(([code, entry]) => ({ code: code as ErrorCode, ...entry }))
    .filter((entry) => entry.status === status && (entry.operations?.includes(operation) ?? true));
}

/** Lists the statuses of errors specific to an operation. */
export function listErrorStatuses(operation: Operation): number[] {
  const own = Object.values<ErrorCodeEntry>(ERROR_CODES).filter(({ operations }) => operations?.includes(operation));
  return [...new Set(own.map(({ status }) => status))];
}
