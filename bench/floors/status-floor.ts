import { fastify } from 'fastify';
import pg from 'pg';
import { digestApiKey } from '../../src/accounts/api-keys/api-key-text.js';
import { READ_STATUS } from '../../src/status/status.sql.js';
import { serveTasks } from '../processes/serve-tasks.js';

/** Floor for status reads: a minimal HTTP handler that runs the service's statements and sends the rows as JSON. */
export interface StatusFloorTask {
  readonly databaseUrl: string;
  readonly connections: number;
}

interface FoundKey {
  readonly tenant_id: string;
  readonly environment: string;
}

serveTasks(async ({ databaseUrl, connections }: StatusFloorTask): Promise<{ url: string }> => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connections, application_name: 'bench-floor' });
  const server = fastify({ logger: false });
  server.get<{ Params: { batchId: string }; Headers: { 'x-api-key': string } }>(
    '/api/v1/saas/submissions/:batchId/status',
    async (request) => {
      const digest = digestApiKey(request.headers['x-api-key']);
      const { rows: keys } = await pool.query<FoundKey>('SELECT * FROM find_caller_key($1)', [digest]);
      const [key] = keys;
      const { rows } = await pool.query(READ_STATUS, [key.tenant_id, key.environment, request.params.batchId, 'bench']);
      return rows;
    },
  );
  return { url: `${await server.listen({ host: '127.0.0.1', port: 0 })}/api` };
});
