import { expect, it } from 'vitest';
import { ADDED_UNTIL_TIDY, DrainService } from '../../src/observability/health/drain.service.js';
import { startFileService } from '../support/file-service.js';
import { openConnection } from '../support/raw-connection.js';
import { until } from '../support/until.js';

const service = await startFileService();

it('an API releases the responses of closed connections', async () => {
  const { responses } = Object(service.api.get(DrainService)) as { responses: ReadonlySet<unknown> };
  const connections = Array.from({ length: 3 * ADDED_UNTIL_TIDY }, () => openConnection(service));
  await Promise.all(
    connections.map(async (connection) => {
      connection.begin('POST', '/api/dashboard/sign-in', { 'Content-Type': 'application/json', 'Content-Length': 100 });
      await connection.arrived();
      connection.destroy();
    }),
  );
  await until('few responses are left', async () => {
    await fetch(`${service.url}/health/live`);
    return responses.size <= ADDED_UNTIL_TIDY;
  });
  expect(responses.size).toBeLessThanOrEqual(ADDED_UNTIL_TIDY);
});
