import { useQuery } from '@tanstack/react-query';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';

export type Queue = components['schemas']['QueueDto'];

const REFRESH_MS = 10_000;

export const QUEUE_KEY = ['operator', 'queue'];

export function useQueue() {
  return useQuery({
    queryKey: QUEUE_KEY,
    queryFn: () => unwrap(client.GET('/api/dashboard/operator/queue')),
    refetchInterval: REFRESH_MS,
  });
}
