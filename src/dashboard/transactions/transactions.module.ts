import { Module } from '@nestjs/common';
import { CancellationModule } from '../../cancellation/cancellation.module.js';
import { CancelService } from './cancel.service.js';
import { TransactionService } from './transaction.service.js';
import { TransactionsController } from './transactions.controller.js';
import { TransactionsService } from './transactions.service.js';

/** The attempts to submit documents: their list, each by itself, and what can be done about it. */
@Module({
  imports: [CancellationModule],
  controllers: [TransactionsController],
  providers: [TransactionsService, TransactionService, CancelService],
})
export class TransactionsModule {}
