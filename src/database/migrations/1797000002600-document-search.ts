import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  FILL_SEARCH,
  SEARCH_COLUMNS,
  SEARCH_INDEXES,
  SEARCH_KEY,
  SEARCH_TABLES,
  STORE_SUBMISSION,
} from './document-search.js';
import { inBatches, index } from './while-serving.js';

/**
 * What the dashboard's list finds and sorts documents by. Runs while the build before serves: every statement commits by
 * itself, and all of them can be run again.
 */
export class DocumentSearch1797000002600 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SEARCH_COLUMNS);
    for (const statement of SEARCH_TABLES) await runner.query(statement);
    await runner.query(SEARCH_KEY);
    await runner.query(STORE_SUBMISSION);
    await inBatches(runner, FILL_SEARCH);
    for (const [name, on] of Object.entries(SEARCH_INDEXES)) await index(runner, name, { on });
  }

  /** The function that fills them would have to be taken back as well. */
  down(): Promise<void> {
    return Promise.reject(new Error('The migration of the search cannot be reverted'));
  }
}
