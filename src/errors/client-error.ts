import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { PROTECTIVE_HEADERS } from '../common/response-headers.js';
import { buildErrorBody } from './error-body.js';
import type { ErrorCode } from './error-codes.js';

interface RawResponse {
  readonly status: string;
  readonly code: ErrorCode;
  readonly message: string;
}

const MALFORMED: RawResponse = {
  status: '400 Bad Request',
  code: 'malformed_request',
  message: 'The request is not valid HTTP',
};

const RESPONSE_BY_ERROR: Readonly<Record<string, RawResponse | undefined>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    code: 'headers_too_large',
    message: 'The address and headers of the request are too long',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    code: 'request_timeout',
    message: 'The request was not sent completely within 30 seconds',
  },
};

/** Responds to requests that Node's HTTP parser rejects, with the common error body (docs/rules.md#error-responses). */
export function respondToClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, code, message } = RESPONSE_BY_ERROR[error.code ?? ''] ?? MALFORMED;
  const requestId = uuidv7();
  const body = JSON.stringify(buildErrorBody({ message, code, requestId }));
  const headers = [
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    ...Object.entries(PROTECTIVE_HEADERS).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  socket.write([`HTTP/1.1 ${status}`, ...headers, '', body].join('\r\n'));
  // Frees the connection and its buffers even if the client does not close it.
  socket.destroySoon();
}

/** Responds to a URL that the router cannot parse, for which no hooks or filters run. */
export function respondToRouterError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const { status, code, message } = error.statusCode === 414 ? URI_TOO_LONG : MALFORMED_URI;
  request.errorCode = code;
  void reply
    .status(status)
    .headers({ ...PROTECTIVE_HEADERS, 'X-Request-Id': request.id })
    .type('application/json; charset=utf-8')
    .send(buildErrorBody({ message, code, requestId: request.id }));
}

interface RouterResponse {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
}

const URI_TOO_LONG: RouterResponse = {
  status: 414,
  code: 'uri_too_long',
  message: 'The address of the request is too long',
};
const MALFORMED_URI: RouterResponse = {
  status: 400,
  code: 'malformed_uri',
  message: 'The address of the request is not correctly percent-encoded UTF-8',
};
