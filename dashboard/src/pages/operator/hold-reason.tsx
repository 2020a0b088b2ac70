import { Text } from '@mantine/core';
import { Instant } from '../../parts/instant';
import { REASONS } from './blocked';
import type { Queue } from './queue-query';

type TenantQueue = Queue['tenantQueues'][number];

const STEPS: Partial<Record<NonNullable<TenantQueue['heldBy']>, string>> = {
  recovery: 'A recovery after a restore holds the organisation until “recover release”',
  not_running: 'No dispatcher is running',
  other_client_id: 'No dispatcher with the client id of its calls is running',
  in_doubt: 'The authority’s response was lost: it is looked up, or you decide under In doubt',
  at_authority: 'The authority has not decided yet',
  parent: 'Credit notes wait until their invoice is valid',
};

/** What an organisation's work waits for, and since when. */
export function HoldReason({ tenantQueue }: { tenantQueue: TenantQueue }) {
  const { heldBy, heldSince, oldestAt, blockedUntil } = tenantQueue;
  if (heldBy === null) return 'Nothing: its turn comes';
  return (
    <>
      <Text size="sm" miw={200}>
        {STEPS[heldBy] ?? REASONS[heldBy]}
      </Text>
      <Text size="xs" c="dimmed">
        since <Instant at={heldSince ?? oldestAt} />
        {blockedUntil !== null && (
          <>
            , tried again at <Instant at={blockedUntil} />
          </>
        )}
      </Text>
    </>
  );
}
