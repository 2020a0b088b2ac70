import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { insertIfNew } from '../../../../src/database/insert-if-new.js';
import {
  type DocumentEvent,
  DocumentEventConsumer,
  type DocumentEventHandler,
} from '../../../../src/document-events/document-event.js';
import { DOCUMENT_TYPE_ROWS } from '../../../../src/documents/document-types.js';
import { DocumentTransaction } from '../../../../src/entities/document-transaction.entity.js';
import { JournalLine } from './journal-line.entity.js';

/** Writes a journal line when a document becomes `Valid`. */
@Injectable()
@DocumentEventConsumer('accounting-export')
export class JournalConsumer implements DocumentEventHandler {
  async handle(event: DocumentEvent, tx: EntityManager): Promise<void> {
    if (event.kind !== 'status' || event.to.authorityStatus !== 'Valid') return;
    const { tenantId, transactionId, environment, documentType, referenceId, at: postedAt } = event;
    const { totals } = await tx.getRepository(DocumentTransaction).findOneByOrFail({ tenantId, id: transactionId });
    // What refers to a parent gives money back.
    const sign = DOCUMENT_TYPE_ROWS[documentType].parentType === null ? '' : '-';
    const amount = `${sign}${totals.totalPayableAmount.toFixed(2)}`;
    // An event may come twice.
    await insertIfNew(tx, JournalLine, {
      tenantId,
      transactionId,
      environment,
      documentType,
      referenceId,
      amount,
      postedAt,
    });
  }
}
