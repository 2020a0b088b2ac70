import type { ApiResponseOptions } from '@nestjs/swagger';

type Headers = NonNullable<ApiResponseOptions['headers']>;

/** Default headers. A cacheable response, such as a status with an ETag, overrides `Cache-Control`. */
export const PROTECTIVE_HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' } as const;

const RESPONSE_HEADERS = {
  'X-Request-Id': {
    description:
      'Identifies this request in the logs of the service: the `X-Request-Id` of the request if it was well formed, else a new id.',
    schema: { type: 'string', maxLength: 128, example: '019a8b5e-7c1f-7000-8000-000000000009' },
  },
  'X-Environment': {
    description: 'The environment of the key. Absent if the key was refused or not checked.',
    schema: { type: 'string', enum: ['sandbox', 'production'], example: 'sandbox' },
  },
  'X-Credits-Charged': {
    description: 'Credits charged for this request; 0 for a replay and for a dry run.',
    schema: { type: 'integer', minimum: 0, example: 1 },
  },
  'X-Credits-Remaining': {
    description: "Credits that your organisation has left after this request, for your key's environment.",
    schema: { type: 'integer', minimum: 0, example: 999 },
  },
  'Idempotent-Replayed': {
    description: '`true` for the stored response of an earlier request with the same key and body; otherwise absent.',
    schema: { type: 'string', enum: ['true'], example: 'true' },
  },
  ETag: {
    description: 'Changes with every change of the response. Send it as `If-None-Match` in the next poll.',
    schema: { type: 'string', example: 'W/"Xqz3DdqmcbJDJ3TUZ8x0yA2nJ5k"' },
  },
  'Cache-Control': {
    description: 'The response may be cached, but must be revalidated before it is used.',
    schema: { type: 'string', example: 'private, no-cache' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next request. Absent if no further request is needed.',
    schema: { type: 'integer', minimum: 1, example: 2 },
  },
  'RateLimit-Policy': {
    description:
      'The rate limits that the request counts in (draft-ietf-httpapi-ratelimit-headers): `q` requests in `w` seconds. ' +
      'Absent without limits.',
    schema: { type: 'string', example: '"key-requests";q=600;w=60, "organisation-requests";q=3000;w=60' },
  },
  RateLimit: {
    description: 'The remaining requests of each limit: at most `r` in the next `t` seconds. Absent without limits.',
    schema: { type: 'string', example: '"key-requests";r=588;t=41, "organisation-requests";r=2940;t=41' },
  },
  'WWW-Authenticate': {
    description: 'How to send the key.',
    schema: { type: 'string', example: 'Bearer' },
  },
} as const satisfies Headers;

export type ResponseHeaderName = keyof typeof RESPONSE_HEADERS;

export function describeResponseHeaders(...names: ResponseHeaderName[]): Headers {
  return Object.fromEntries(names.map((name) => [name, RESPONSE_HEADERS[name]]));
}
