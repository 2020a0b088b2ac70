import { type CsvColumn, createInstantColumn } from '../csv.js';
import type { OrderDto } from './dto/credits.dto.js';

/** Columns of a credit order, for organisations and for operators. */
export const ORDER_COLUMNS: readonly CsvColumn<Omit<OrderDto, 'status'> & { readonly status: string }>[] = [
  createInstantColumn('Ordered', ({ requestedAt }) => requestedAt),
  { title: 'By', value: ({ requestedBy }) => requestedBy },
  { title: 'Credits', value: ({ credits }) => credits },
  { title: 'Price (RM)', value: ({ price }) => price },
  { title: 'Payment reference', value: ({ reference }) => reference },
  { title: 'Status', value: ({ status }) => status },
  { title: 'Note', value: ({ note }) => note },
  createInstantColumn('Decided', ({ decidedAt }) => decidedAt),
  { title: 'Reason', value: ({ reason }) => reason },
  createInstantColumn('Spendable until', ({ expiresAt }) => expiresAt),
  { title: 'Order id', value: ({ orderId }) => orderId },
];
