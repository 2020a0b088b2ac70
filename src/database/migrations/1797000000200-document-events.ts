import type { MigrationInterface, QueryRunner } from 'typeorm';
import { DELIVERY_FUNCTIONS, DELIVERY_SECURITY, DELIVERY_TABLES, DELIVERY_TRIGGERS } from './document-events.js';

/**
 * What happens to a document makes a delivery for each registered consumer, in the transaction in which it happens. Runs
 * while the build before serves: every statement commits by itself, and all of them can be run again.
 */
export class DocumentEvents1797000000200 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(DELIVERY_TABLES);
    await runner.query(DELIVERY_SECURITY);
    await runner.query(DELIVERY_FUNCTIONS);
    for (const trigger of DELIVERY_TRIGGERS) await runner.query(trigger);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER deliver_acceptance ON document_transaction');
    await runner.query('DROP TRIGGER deliver_status_change ON status_event');
    await runner.query('DROP TRIGGER deliver_cancellation ON document_cancellation');
    await runner.query('DROP TRIGGER deliver_cancellation_change ON document_cancellation');
    await runner.query('DROP FUNCTION deliver_acceptance(), deliver_status_change(), deliver_cancellation()');
    await runner.query('DROP TABLE event_delivery, event_consumer');
    await runner.query('DROP SEQUENCE document_event_id');
  }
}
