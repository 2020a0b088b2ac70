import type { StoredBatch } from '../database/fill.js';
import type { BenchTenant } from '../database/tenants.js';
import type { Written } from '../database/written.js';

/**
 * Tasks that a build runs on its own database with its own code, because the compared build may have other columns. The
 * modules in the build's `dist` implement them (see build-worker.ts).
 */
export interface BuildTasks {
  /** Creates the schema, tenants and stored documents with an outcome. */
  store(options: StoreOptions): Promise<Stored>;
  /** Starts the interval in which a run submits. */
  beginAccepting(): Promise<void>;
  /** Verifies the rows that were written since, unless the run failed, and deletes them. */
  endAccepting(expected: Written | null): Promise<void>;
  /** Creates the schema and tenants of a queue, and stores the samples that its documents are copied from. */
  openQueue(options: DatabaseUrls): Promise<void>;
  fillQueue(options: { documents: number }): Promise<void>;
  /** Verifies the outcome of the queue. */
  checkMoved(options: { documents: number }): Promise<void>;
}

export interface DatabaseUrls {
  readonly ownerUrl: string;
  readonly superuserUrl: string;
}

export interface StoreOptions extends DatabaseUrls {
  readonly documents: number;
}

export interface Stored {
  readonly tenants: readonly BenchTenant[];
  readonly batches: readonly StoredBatch[];
}

/** A task message to the build's process. */
export interface BuildTask {
  readonly name: keyof BuildTasks;
  readonly options: unknown;
}
