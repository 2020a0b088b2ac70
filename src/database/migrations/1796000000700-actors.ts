import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ACTOR_COLUMNS, FILL_KEY_CREATORS, KEY_CREATOR, oneActor, STORE_WITH_ACTOR } from './actors.js';
import { index } from './while-serving.js';

/**
 * Batches and cancellations say which API key or user they came from, and keys who made them. Runs while the build
 * before serves: every statement commits by itself, and all of them can be run again.
 */
export class Actors1796000000700 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of ACTOR_COLUMNS) await runner.query(statement);
    for (const table of ['submission_batch', 'document_cancellation']) {
      for (const statement of oneActor(table)) await runner.query(statement);
    }
    await runner.query(KEY_CREATOR);
    await runner.query(FILL_KEY_CREATORS);
    // Of what a key or a user sent, newest last; what came from the other is not in it.
    await index(runner, 'ix_submission_batch_key', {
      on: 'submission_batch (tenant_id, environment, api_key_id, id) WHERE api_key_id IS NOT NULL',
    });
    await index(runner, 'ix_submission_batch_user', {
      on: 'submission_batch (tenant_id, environment, user_id, id) WHERE user_id IS NOT NULL',
    });
    await index(runner, 'ix_document_cancellation_key', {
      on: 'document_cancellation (tenant_id, environment, api_key_id, id) WHERE api_key_id IS NOT NULL',
    });
    await runner.query(STORE_WITH_ACTOR);
  }

  /** Who sent what would be lost. */
  down(): Promise<void> {
    return Promise.reject(new Error('The migration of actors cannot be reverted'));
  }
}
