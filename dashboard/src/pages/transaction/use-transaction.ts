import { useQuery } from '@tanstack/react-query';
import { unwrap, client } from '../../api/client';
import type { Environment } from '../../api/session';
import type { components } from '../../api/schema';
import { isMovingStatus } from '../../parts/live';

export type Transaction = components['schemas']['TransactionDto'];

/** The attempt of an address. */
export interface TransactionScope {
  tenantId: string;
  environment: Environment;
  transactionId: string;
}

const REFRESH_MS = 3_000;

/** An attempt, asked for again every few seconds as long as something is to be expected. */
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

/** The address of a file of the attempt. */
export function fileAddress({ tenantId, environment, transactionId }: TransactionScope, file: string): string {
  return `/api/dashboard/organisations/${tenantId}/${environment}/transactions/${transactionId}/${file}`;
}
