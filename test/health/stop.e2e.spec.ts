import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { request } from '../support/client.js';
import { TestService } from '../support/service.js';

it('a connection that has sent nothing is closed by a stop, and does not hold it up', { timeout: 20_000 }, async () => {
  const service = await TestService.start();
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  // Once this one is served, the API knows of the earlier connection.
  expect((await request(service, '/health/live')).status).toBe(200);
  await service.stop();
  await closed;
});
