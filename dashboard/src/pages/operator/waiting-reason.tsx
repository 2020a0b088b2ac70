import { Text } from '@mantine/core';
import { Instant } from '../../parts/instant';
import { REASONS } from './blocked';
import type { Queue } from './queue-query';

type TenantQueue = Queue['tenantQueues'][number];

const STEPS: Partial<Record<NonNullable<TenantQueue['waitingCode']>, string>> = {
  recovery: 'The organisation waits for “recover release” after a restore',
  not_running: 'No dispatcher is running',
  other_client_id: 'No dispatcher with the client id of its calls is running',
  in_doubt: 'The authority’s response was lost: the documents are being looked up, or you decide under “In doubt”',
  at_authority: 'The authority has not decided yet',
  parent: 'Credit notes wait until their invoice is valid',
};

export function WaitingReason({ tenantQueue }: { tenantQueue: TenantQueue }) {
  const { waitingCode, waitingSince, oldestAt, waitingUntil } = tenantQueue;
  if (waitingCode === null) return 'Nothing: it is sent in turn';
  return (
    <>
      <Text size="sm" miw={200}>
        {STEPS[waitingCode] ?? REASONS[waitingCode]}
      </Text>
      <Text size="xs" c="dimmed">
        since <Instant at={waitingSince ?? oldestAt} />
        {waitingUntil !== null && (
          <>
            , tried again at <Instant at={waitingUntil} />
          </>
        )}
      </Text>
    </>
  );
}
