import type { ApiResponseOptions } from '@nestjs/swagger';

type Headers = NonNullable<ApiResponseOptions['headers']>;

/**
 * Every header that an answer can have beside HTTP's own, described once (docs/rules.md#status-response,
 * docs/rules.md#credits, docs/rules.md#idempotency, docs/rules.md#error-responses).
 */
const RESPONSE_HEADERS = {
  'X-Request-Id': {
    description:
      'Names this call in our logs: the `X-Request-Id` of the request when it was well formed, else a new one.',
    schema: { type: 'string', maxLength: 128, example: '019a8b5e-7c1f-7000-8000-000000000009' },
  },
  'X-Environment': {
    description: 'The environment of the key. Absent when the key was refused, or not looked at.',
    schema: { type: 'string', enum: ['sandbox', 'production'], example: 'sandbox' },
  },
  'X-Credits-Charged': {
    description: 'What this call cost, in credits; 0 for a replay and for a dry run.',
    schema: { type: 'integer', minimum: 0, example: 1 },
  },
  'X-Credits-Remaining': {
    description: 'What your organisation has left after this call, in credits, over both environments.',
    schema: { type: 'integer', minimum: 0, example: 999 },
  },
  'Idempotent-Replayed': {
    description: '`true` when this is the stored answer of an earlier call with the same key and body; else absent.',
    schema: { type: 'string', enum: ['true'], example: 'true' },
  },
  ETag: {
    description: 'Changes with every change of the answer. Send it as `If-None-Match` in the next poll.',
    schema: { type: 'string', example: 'W/"Xqz3DdqmcbJDJ3TUZ8x0yA2nJ5k"' },
  },
  'Cache-Control': {
    description: 'The answer may be kept, but is asked for again before it is used.',
    schema: { type: 'string', example: 'private, no-cache' },
  },
  'Retry-After': {
    description: 'In how many seconds to ask again. Absent when there is nothing to ask again for.',
    schema: { type: 'integer', minimum: 1, example: 2 },
  },
  'WWW-Authenticate': {
    description: 'How to send the key.',
    schema: { type: 'string', example: 'Bearer' },
  },
} as const satisfies Headers;

export type ResponseHeaderName = keyof typeof RESPONSE_HEADERS;

/** These headers, for the answer of an operation that can have them. */
export function describeResponseHeaders(...names: ResponseHeaderName[]): Headers {
  return Object.fromEntries(names.map((name) => [name, RESPONSE_HEADERS[name]]));
}
