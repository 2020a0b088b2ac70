import { connect, type Socket } from 'node:net';
import type { IncomingMessage } from 'node:http';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { ApiError } from '../../src/errors/api-error.js';
import { ErrorFilter } from '../../src/errors/error.filter.js';
import { startFileService } from '../support/file-service.js';
import { until } from '../support/until.js';

// A reset connection no longer has an address, which must not cause an error.

const caught = vi.spyOn(ErrorFilter.prototype, 'catch');
const service = await startFileService();

beforeEach(() => void caught.mockClear());

function send(text: string): Socket {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname, () => socket.write(text));
  onTestFinished(() => void socket.destroy());
  return socket;
}

it.each([
  ['GET', '/api/health/live'],
  ['GET', '/api/v1/saas/submissions/1/status'],
  ['GET', '/api/nowhere'],
  ['POST', '/api/dashboard/sign-in'],
  ['POST', '/api/dashboard/sign-up'],
  ['POST', '/api/dashboard/password-links/look-up'],
  ['GET', '/api/dashboard/session'],
])('client that disconnects before %s %s is processed causes no server error', async (method, path) => {
  const leave = (request: IncomingMessage): void => void request.socket.destroy();
  service.api.getHttpServer().prependOnceListener('request', leave);
  send(`${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`);
  await until('the request is refused', () => caught.mock.calls.length > 0);
  const [error] = caught.mock.calls[0];
  expect(error).toBeInstanceOf(ApiError);
  expect((error as ApiError).status).toBe(400);
});
