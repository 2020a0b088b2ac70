import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { listOccurrences } from '../http/occurrences.js';
import { IdempotencyKeyInvalidError } from './idempotency-errors.js';

export const IDEMPOTENCY_KEY_CHARACTERS_MAX = 255;
const KEY_SHAPE = /^[\x21-\x7E]{1,255}$/;

/** @throws IdempotencyKeyInvalidError (400) if the header is missing, repeated or malformed */
export function readIdempotencyKey(request: FastifyRequest): string {
  // Node joins repeated headers with a comma, which would form another valid key.
  const keys = listOccurrences(request.raw, 'idempotency-key');
  if (keys.length !== 1 || !KEY_SHAPE.test(keys[0])) throw new IdempotencyKeyInvalidError();
  return keys[0];
}

export const ApiIdempotencyKey = (): MethodDecorator =>
  ApiHeader({
    name: 'idempotency-key',
    required: true,
    description:
      'Unique per logical request, 1 to 255 visible ASCII characters, stored for 30 days. A retry with the same key and ' +
      'body returns the same response. With another body, the response is 409.',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: IDEMPOTENCY_KEY_CHARACTERS_MAX,
      example: 'b1c8d2d4-0001',
    },
  });
