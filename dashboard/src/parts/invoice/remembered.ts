import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { components } from '../../api/schema';
import type { Environment } from '../../api/session';
import { EMPTY_LINE, type LineValues } from './values';

export type Remembered = components['schemas']['RememberedDto'];

/** Buyers and items of the organisation's latest valid invoices. */
export function rememberedQuery(tenantId: string, environment: Environment) {
  return queryOptions({
    queryKey: ['remembered', tenantId, environment],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/{environment}/remembered', {
          params: { path: { tenantId, environment } },
        }),
      ),
  });
}

/** A line of an item that was sold before, by its price and tax then. */
export function toLine({ taxPercent, ...item }: Remembered['items'][number]): LineValues {
  return { ...EMPTY_LINE, ...item, taxRate: taxPercent ?? '' };
}
