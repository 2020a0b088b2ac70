import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps the refusal of a resent document until lookups have decided whether an earlier send arrived. */
export class RefusedResends1797000100500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE authority_document ADD COLUMN IF NOT EXISTS refused_at timestamptz, ADD COLUMN IF NOT EXISTS refusal jsonb',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE authority_document DROP COLUMN refused_at, DROP COLUMN refusal');
  }
}
