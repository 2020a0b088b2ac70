import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { JournalLine1797000000300 } from './1797000000300-journal-line.js';
import { JournalConsumer } from './journal.consumer.js';
import { JournalLine } from './journal-line.entity.js';

@Module({ imports: [TypeOrmModule.forFeature([JournalLine])], providers: [JournalConsumer] })
export class AccountingExportModule {
  static readonly migrations = [JournalLine1797000000300];
}
