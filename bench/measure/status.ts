import type { Stage } from '../stage.js';
import type { Contest, Run } from './rounds.js';

/** Reading the status of stored batches, the sizes of FILL's cycle taking turns: the service against a bare handler. */
export async function statusContests(stage: Stage): Promise<Contest[]> {
  const { connections } = stage;
  return Promise.all(
    stage.sites.map(async (site) => {
      const apiKeyByTenant = new Map(site.tenants.map(({ tenantId, apiKey }) => [tenantId, apiKey]));
      const batches = site.batches.map(({ tenantId, batchId, size }) => ({
        batchId,
        size,
        apiKey: apiKeyByTenant.get(tenantId) ?? '',
      }));
      const { url } = await site.statusFloor.ask({ databaseUrl: site.database.appUrl, connections });
      const reading =
        (base: string): Run =>
        (requests) =>
          stage.load.ask({ kind: 'status', url: base, connections, requests, batches });
      return { size: site.size, service: reading(site.api.url), floor: reading(url) };
    }),
  );
}
