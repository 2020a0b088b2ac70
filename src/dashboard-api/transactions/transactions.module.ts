import { Module } from '@nestjs/common';
import { CancellationModule } from '../../cancellation/cancellation.module.js';
import { CancelService } from './cancel.service.js';
import { TransactionDetailService } from './transaction-detail.service.js';
import { TransactionsController } from './transactions.controller.js';
import { TransactionListService } from './transaction-list.service.js';

/** The attempts to submit documents: their list, each by itself, and what can be done about it. */
@Module({
  imports: [CancellationModule],
  controllers: [TransactionsController],
  providers: [TransactionListService, TransactionDetailService, CancelService],
  exports: [TransactionListService, TransactionDetailService, CancelService],
})
export class TransactionsModule {}
