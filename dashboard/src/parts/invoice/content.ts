import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { components } from '../../api/schema';
import type { Scope } from '../../api/session';

export type Content = components['schemas']['TransactionContentDto'];

export type Credited = NonNullable<Content['credited']>;

interface Attempt extends Scope {
  transactionId: string;
}

export function contentQuery({ tenantId, environment, transactionId }: Attempt) {
  return queryOptions({
    queryKey: ['transactions', tenantId, environment, 'content', transactionId],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/{environment}/transactions/{transactionId}/content', {
          params: { path: { tenantId, environment, transactionId } },
        }),
      ),
  });
}
