import type { BulkItemState } from '../../entities/bulk-job-item.entity.js';
import type { CsvFile } from '../csv.js';
import type { BulkItemDto } from './dto/bulk-job.dto.js';

const RESULTS: Readonly<Record<BulkItemState, string>> = {
  waiting: 'Not checked yet',
  ready: 'Ready, not sent yet',
  refused: 'Not sent: it would be refused',
  done: 'Sent',
  changed: 'Left alone: changed meanwhile',
  failed: 'Refused',
};

/** The documents of a job as a file. */
export const BULK_ITEMS_CSV: CsvFile<BulkItemDto> = {
  name: 'bulk-job',
  columns: [
    { title: 'Type', value: ({ documentType }) => documentType },
    { title: 'Document number', value: ({ referenceId }) => referenceId },
    { title: 'Result', value: ({ state }) => RESULTS[state] },
    {
      title: 'Reason',
      value: ({ problems }) =>
        problems.map(({ field, message }) => [field, message].filter((part) => part !== null).join(': ')).join('; '),
    },
    { title: 'Credits', value: ({ credits }) => credits },
    { title: 'Status now', value: ({ status }) => status },
    { title: 'Document id', value: ({ documentId }) => documentId },
    { title: 'Transaction id', value: ({ currentTransactionId }) => currentTransactionId },
  ],
};
