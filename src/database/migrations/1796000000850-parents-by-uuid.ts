import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CANCELLABLE_DOCUMENT, KNOWN_DOCUMENTS, PARENT_TYPE_OF } from './parents-by-uuid.js';

/**
 * Parents named by a uuid are known by the attempt that has it, in any case; a note is live for what it refers to by
 * type as well; a cancellation that the authority refused as too late says so. The functions say more than before and
 * never less, so that the build before goes on with them.
 */
export class ParentsByUuid1796000000850 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PARENT_TYPE_OF);
    await runner.query(KNOWN_DOCUMENTS);
    await runner.query(CANCELLABLE_DOCUMENT);
  }

  /** This build reads what the functions of the build before do not say. */
  down(): Promise<void> {
    return Promise.reject(new Error('The migration of parents by uuid cannot be reverted'));
  }
}
