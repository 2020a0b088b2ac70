import type { TransactionRowDto } from './dto/transaction-row.dto.js';
import { type CsvFile, createInstantColumn } from '../csv.js';
import { formatActor } from '../shown-actor.js';

export const TRANSACTIONS_CSV: CsvFile<TransactionRowDto> = {
  name: 'transactions',
  columns: [
    createInstantColumn('Accepted', ({ createdAt }) => createdAt),
    { title: 'Type', value: ({ documentType }) => documentType },
    { title: 'Document number', value: ({ referenceId }) => referenceId },
    { title: 'Document date', value: ({ documentDate }) => documentDate },
    { title: 'Buyer', value: ({ buyerName }) => buyerName },
    { title: 'Buyer TIN', value: ({ buyerTin }) => buyerTin },
    { title: 'Payable (MYR)', value: ({ totalPayableAmount }) => totalPayableAmount },
    { title: 'Status', value: ({ status }) => status },
    { title: 'Attempt', value: ({ attempt }) => attempt },
    { title: 'Errors', value: ({ errorCount }) => errorCount },
    { title: 'First error', value: ({ firstError }) => firstError },
    { title: 'UUID at the authority', value: ({ authorityUuid }) => authorityUuid },
    createInstantColumn('Validated', ({ validatedAt }) => validatedAt),
    { title: 'Submitted by', value: ({ submittedBy }) => formatActor(submittedBy) },
    { title: 'Document id', value: ({ documentId }) => documentId },
    { title: 'Transaction id', value: ({ transactionId }) => transactionId },
    { title: 'Batch id', value: ({ submissionBatchId }) => submissionBatchId },
  ],
};
