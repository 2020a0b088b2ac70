import type { MigrationInterface, QueryRunner } from 'typeorm';
import { READ_SUBMISSION_STATUS, UNSENDABLE_COLUMNS } from './unsendable-work.js';

/** Queued documents that no dispatcher can send say why. Can be run again, and runs while the build before serves. */
export class UnsendableWork1796000000110 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UNSENDABLE_COLUMNS);
    await runner.query(READ_SUBMISSION_STATUS);
  }

  /** The columns say nothing that is not found again within a minute, and the build before does not mind them. */
  down(): Promise<void> {
    return Promise.reject(new Error('The migration of unsendable work cannot be reverted'));
  }
}
