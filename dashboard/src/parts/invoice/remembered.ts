import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { components } from '../../api/schema';
import type { Environment } from '../../api/session';
import { EMPTY_LINE, type LineValues } from './values';

export type Remembered = components['schemas']['RememberedDto'];

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

/** Creates a line from an earlier item, with its price and tax. */
export function toLine({ taxPercent, ...item }: Remembered['items'][number]): LineValues {
  return { ...EMPTY_LINE, ...item, taxRate: taxPercent ?? '' };
}
