import { useQuery } from '@tanstack/react-query';
import { unwrap, client } from '../../api/client';
import type { paths } from '../../api/schema';

export type Queue = paths['/api/dashboard/operator/queue']['get']['responses'][200]['content']['application/json'];

const REFRESH_MS = 10_000;

export const QUEUE_KEY = ['operator', 'queue'];

export function useQueue() {
  return useQuery({
    queryKey: QUEUE_KEY,
    queryFn: () => unwrap(client.GET('/api/dashboard/operator/queue')),
    refetchInterval: REFRESH_MS,
  });
}
