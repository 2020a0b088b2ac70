import { randomBytes } from 'node:crypto';
import type { BenchDatabase } from '../database/server.js';
import type { Setup } from '../measure/contender.js';
import type { Side } from '../measure/pairs.js';
import { type Build, type BuildClient, startBuildClient } from './build.js';
import type { Stored } from './build-worker.js';

/** Database with documents that a build stored with its own code. */
export interface Store {
  readonly database: BenchDatabase;
  readonly client: BuildClient;
  readonly stored: Stored;
}

export async function openStore({ closing, server }: Setup, build: Build, size: number): Promise<Store> {
  const database = await server.createBareDatabase(`${build.name}_${size}`);
  const client = await startBuildClient(closing, build);
  const { ownerUrl, superuserUrl } = database;
  return { database, client, stored: await client('store', { ownerUrl, superuserUrl, documents: size }) };
}

/** Verifies and then deletes the rows of a side's runs. */
export function expectRows({ client }: Store, documentsPerBatch: number): Pick<Side, 'begin' | 'end'> {
  let batches = 0;
  return {
    begin: async (requests, runs) => {
      batches = requests * runs;
      await client('beginAccepting');
    },
    end: (isComplete) =>
      client('endAccepting', isComplete ? { batches, documents: batches * documentsPerBatch } : null),
  };
}

/** Returns the stored batches with the keys of their tenants. */
export function listReadableBatches({ stored }: Store): { batchId: string; size: number; apiKey: string }[] {
  const apiKeyByTenant = new Map(stored.tenants.map(({ tenantId, apiKey }) => [tenantId, apiKey]));
  return stored.batches.map(({ tenantId, batchId, size }) => ({
    batchId,
    size,
    apiKey: apiKeyByTenant.get(tenantId) ?? '',
  }));
}

/** Returns a prefix for document numbers that differs in each run and has a realistic length. */
export function createNumberPrefix(): string {
  return `INV-${randomBytes(3).toString('hex')}`;
}
