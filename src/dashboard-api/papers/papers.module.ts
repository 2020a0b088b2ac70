import { Module } from '@nestjs/common';
import { PaperPrinter } from '../../paper/paper-printer.js';
import { TransactionsModule } from '../transactions/transactions.module.js';
import { PapersController } from './papers.controller.js';
import { PapersService } from './papers.service.js';

/** Downloads of documents: PDF and evidence. */
@Module({ imports: [TransactionsModule], controllers: [PapersController], providers: [PapersService, PaperPrinter] })
export class PapersModule {}
