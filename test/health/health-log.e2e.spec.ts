import { describe, expect, it } from 'vitest';
import { request } from '../support/client.js';
import { startFileService } from '../support/file-service.js';
import { startLoggedApi } from '../support/logged-api.js';

// docs/rules.md#health-metrics-and-logs
describe('the log of an API', async () => {
  const service = await startFileService();

  it('omits health checks at the default level', async () => {
    const logged = await startLoggedApi(service);
    for (const path of ['/health/live', '/health/ready', '/health/ready/']) {
      expect((await request(logged.service, path)).status).toBe(200);
    }
    // Its line follows those of the health checks.
    expect((await request(logged.service, '/health/other')).status).toBe(404);
    const lines = await logged.readLines({ requests: 1 });
    expect(lines.filter((line) => 'route' in line || 'status' in line)).toEqual([
      expect.objectContaining({ status: 404 }),
    ]);
  });

  it('records each change of readiness once', async () => {
    const logged = await startLoggedApi(service);
    const check = async (): Promise<number> => (await request(logged.service, '/health/ready')).status;
    await service.owner.query('REVOKE SELECT ON schema_migration FROM einvoice_app');
    expect([await check(), await check(), await check()]).toEqual([503, 503, 503]);
    await service.owner.query('GRANT SELECT ON schema_migration TO einvoice_app');
    expect([await check(), await check()]).toEqual([200, 200]);
    expect((await request(logged.service, '/health/other')).status).toBe(404);
    const lines = await logged.readLines({ requests: 1 });
    expect(lines.filter(({ context }) => context === 'HealthService')).toEqual([
      expect.objectContaining({
        level: 50,
        msg: 'Not ready: The database does not respond',
        error: 'permission denied for table schema_migration',
      }),
      expect.objectContaining({ level: 30, msg: 'Ready again' }),
    ]);
  });
});
