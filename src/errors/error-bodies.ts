import { ApiProperty, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import {
  ErrorDto,
  InsufficientCreditsDto,
  SupplierNotVerifiedDto,
  SupplierProfileIncompleteDto,
  ValidationFailedDto,
} from './dto/error.dto.js';
import { ERROR_CODES, type ErrorCode } from './error-codes.js';

type DtoClass = new () => object;

/** Classes of what the errors of one feature have in addition to the members of every error, by their codes. */
export type ErrorMembers = Readonly<Partial<Record<ErrorCode, DtoClass>>>;

const SHARED_MEMBERS: ErrorMembers = {
  validation_failed: ValidationFailedDto,
  supplier_profile_incomplete: SupplierProfileIncompleteDto,
  supplier_not_verified: SupplierNotVerifiedDto,
  insufficient_credits: InsufficientCreditsDto,
};

// One class for each code, since several operations have the same.
const bodies = new Map<ErrorCode, DtoClass>();

/** The body of one error in OpenAPI: that of every error, with a constant `code` and the members that it alone has. */
export function getErrorBody(code: ErrorCode, members: ErrorMembers = {}): DtoClass {
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

/** `validation_failed` is ValidationFailedError, `internal_error` InternalError. */
export function getErrorBodyName(code: string): string {
  const words = code.replace(/_error$/, '').split('_');
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Error`;
}
