import type { MigrationInterface, QueryRunner } from 'typeorm';
import { index } from './while-serving.js';

/**
 * The client id of each call, and an index by which a dispatcher finds the due calls of its own client id. The previous
 * build neither writes nor reads the column; the first dispatcher of this build fills it in. Can be run again, and runs
 * while the previous build serves.
 */
export class CallClientIds1797000100600 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE authority_submission ADD COLUMN IF NOT EXISTS client_id text');
    await runner.query('GRANT UPDATE (client_id) ON authority_submission TO einvoice_operator');
    await index(runner, 'ix_authority_submission_client', {
      on: 'authority_submission (client_id, state, next_look_at) WHERE next_look_at IS NOT NULL',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX ix_authority_submission_client');
    await runner.query('ALTER TABLE authority_submission DROP COLUMN client_id');
  }
}
