import { useQuery } from '@tanstack/react-query';
import { unwrap, client } from '../../api/client';
import type { Scope } from '../../api/session';
import type { components } from '../../api/schema';
import { isMovingStatus } from '../../parts/live';

export type Transaction = components['schemas']['TransactionDto'];

export interface TransactionScope extends Scope {
  transactionId: string;
}

const REFRESH_MS = 3_000;

/** Polls the transaction every few seconds until its status is final. */
export function useTransaction({ tenantId, environment, transactionId }: TransactionScope) {
  return useQuery({
    queryKey: ['transactions', tenantId, environment, 'one', transactionId],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/{environment}/transactions/{transactionId}', {
          params: { path: { tenantId, environment, transactionId } },
        }),
      ),
    refetchInterval: ({ state }) => (state.data !== undefined && isMoving(state.data) ? REFRESH_MS : false),
  });
}

function isMoving({ status, cancellation }: Transaction): boolean {
  return isMovingStatus(status) || cancellation?.status === 'Queued' || cancellation?.status === 'Processing';
}

export function fileAddress({ tenantId, environment, transactionId }: TransactionScope, file: string): string {
  return `/api/dashboard/organisations/${tenantId}/${environment}/transactions/${transactionId}/${file}`;
}
