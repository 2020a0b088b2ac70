import { applyDecorators, HttpCode, HttpStatus, type Type } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse } from '@nestjs/swagger';
import { Compressed } from '../http/compression.js';

/** A JSON response of a GET handler. It must not contain a secret, because it is compressed. */
export function CompressedResponse(type: Type | [Type], description?: string): MethodDecorator {
  return applyDecorators(Compressed(), ApiOkResponse({ type, description }));
}

/** A 200 response of a POST handler, for which Nest would send 201. */
export function OkResponse(type: Type): MethodDecorator {
  return applyDecorators(HttpCode(HttpStatus.OK), ApiOkResponse({ type }));
}

export function NoContentResponse(): MethodDecorator {
  return applyDecorators(HttpCode(HttpStatus.NO_CONTENT), ApiNoContentResponse());
}
