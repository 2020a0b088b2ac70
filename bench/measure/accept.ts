import { randomBytes } from 'node:crypto';
import { checkWritten, mark, removeWritten } from '../database/written.js';
import type { Site, Stage } from '../stage.js';
import type { LoadResult } from './load-result.js';
import type { Contest, Run } from './rounds.js';

/** How far the average payloads of both sides may lie apart: the rows are to be the same. */
const PAYLOAD_TOLERANCE = 0.01;

/** Accepting batches of so many documents: the service over HTTP against the same rows by bare SQL. */
export function acceptContests(stage: Stage, documentsPerBatch: number): Contest[] {
  return stage.sites.map((site) => {
    const payloads: Payloads = { bytes: null };
    return {
      size: site.size,
      service: written(site, { documentsPerBatch, payloads }, (requests) =>
        stage.load.ask({
          kind: 'submit',
          url: site.api.url,
          connections: stage.connections,
          requests,
          apiKeys: site.tenants.map(({ apiKey }) => apiKey),
          documentsPerBatch,
          numberPrefix: numberPrefix(),
        }),
      ),
      floor: written(site, { documentsPerBatch, payloads }, (requests) =>
        stage.acceptFloor.ask({
          databaseUrl: site.database.appUrl,
          connections: stage.connections,
          tenantIds: site.tenants.map(({ tenantId }) => tenantId),
          documentsPerBatch,
          batches: requests,
          numberPrefix: numberPrefix(),
        }),
      ),
    };
  });
}

/** Bytes of an average payload, as the first run wrote it. */
interface Payloads {
  bytes: number | null;
}

interface WrittenOptions {
  readonly documentsPerBatch: number;
  readonly payloads: Payloads;
}

/** The run, its rows counted and then taken out again. */
function written(site: Site, { documentsPerBatch, payloads }: WrittenOptions, run: Run): Run {
  const { superuser } = site.database;
  const tenantIds = site.tenants.map(({ tenantId }) => tenantId);
  return async (requests): Promise<LoadResult> => {
    const since = await mark(superuser);
    try {
      const result = await run(requests);
      const expected = { batches: requests, documents: requests * documentsPerBatch };
      const bytes = await checkWritten(superuser, { tenantIds, since, expected });
      payloads.bytes ??= bytes;
      if (Math.abs(bytes / payloads.bytes - 1) > PAYLOAD_TOLERANCE) {
        throw new Error(`Payloads of ${bytes} bytes on one side, ${payloads.bytes} on the other`);
      }
      return result;
    } finally {
      // Also after a failure: the next benchmark counts on what is stored.
      await removeWritten(superuser, tenantIds, since);
    }
  };
}

/** Runs use their own document numbers, as long as a business's. */
function numberPrefix(): string {
  return `INV-${randomBytes(3).toString('hex')}`;
}
