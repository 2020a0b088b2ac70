import { ApiParam } from '@nestjs/swagger';
import { validate as isUuid } from 'uuid';
import { DashboardError } from '../../errors/dashboard-errors.js';

/** Documents the attempt of an address. */
export function TransactionParam(): MethodDecorator {
  return ApiParam({ name: 'transactionId', schema: { type: 'string', format: 'uuid' }, description: 'The attempt.' });
}

/** @throws DashboardError (404) for what is no id */
export function parseTransactionId(text: string): string {
  if (!isUuid(text)) throw new DashboardError('not_found_here');
  return text.toLowerCase();
}
