import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an order of a pack costs. Orders from before have no price. */
export class OrderPrices1797000002500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE credit_order ADD price numeric(12, 2)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE credit_order DROP COLUMN price');
  }
}
