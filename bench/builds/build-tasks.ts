import type { StoredBatch } from '../database/fill.js';
import type { BenchTenant } from '../database/tenants.js';
import type { Written } from '../database/written.js';

/**
 * What a build does on its own database with its own code: the compared build may have other columns, and only its own code
 * knows them. Each task is served by modules of the build's `dist`, see build-worker.ts.
 */
export interface BuildTasks {
  /** Makes the schema, tenants and stored documents that have reached their outcome. */
  store(options: StoreOptions): Promise<Stored>;
  /** Begins a stretch of time in which a run submits. */
  beginAccepting(): Promise<void>;
  /** Counts what was written since, unless the run failed, and takes it out again. */
  endAccepting(expected: Written | null): Promise<void>;
  /** Makes the schema and tenants of a queue, and keeps what its documents are copied from. */
  openQueue(options: DatabaseUrls): Promise<void>;
  fillQueue(options: { documents: number; haveBytes: boolean }): Promise<void>;
  /** Counts what became of the queue. */
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

/** One of them, as it is sent to the build's process. */
export interface BuildTask {
  readonly name: keyof BuildTasks;
  readonly options: unknown;
}
