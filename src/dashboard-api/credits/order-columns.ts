import { type CsvColumn, instantColumn } from '../csv.js';
import type { OrderDto } from './dto/credits.dto.js';

/** An order of credits as a line of a file, for the organisation and for operators alike. */
export const ORDER_COLUMNS: readonly CsvColumn<Omit<OrderDto, 'status'> & { readonly status: string }>[] = [
  instantColumn('Ordered', ({ requestedAt }) => requestedAt),
  { title: 'By', value: ({ requestedBy }) => requestedBy },
  { title: 'Credits', value: ({ credits }) => credits },
  { title: 'Status', value: ({ status }) => status },
  { title: 'Note', value: ({ note }) => note },
  instantColumn('Decided', ({ decidedAt }) => decidedAt),
  { title: 'Reason', value: ({ reason }) => reason },
  instantColumn('Spendable until', ({ expiresAt }) => expiresAt),
  { title: 'Order id', value: ({ orderId }) => orderId },
];
