import { Alert, Group, Stack, Text } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { minuteOf } from '../../parts/format';
import { TextLink } from '../../parts/links';
import { StatusBadge } from '../../parts/status-badge';
import type { Place, Transaction } from './use-transaction';

interface StateProps {
  place: Place;
  transaction: Transaction;
}

/** Where the attempt stands, and what there is to say about that now. */
export function State({ place, transaction }: StateProps) {
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <StatusBadge status={transaction.status} />
        <Text size="sm" c="dimmed">
          attempt {transaction.attempt}, accepted {minuteOf(transaction.createdAt)}
        </Text>
      </Group>
      {!transaction.isCurrent && <Superseded place={place} transaction={transaction} />}
      <Waiting waiting={transaction.waiting} />
      {transaction.status === 'Valid' && <Rejection requestedAt={transaction.rejectionRequestedAt} />}
      <Cancellation cancellation={transaction.cancellation} />
      {transaction.status === 'Valid' && transaction.isCurrent && <NotCancellable cancel={transaction.cancel} />}
    </Stack>
  );
}

function Superseded({ place, transaction: { attempts } }: StateProps) {
  const [{ transactionId, attempt }] = attempts;
  return (
    <Text size="sm">
      This document has been submitted again:{' '}
      <TextLink to="/o/$tenantId/$environment/transactions/$transactionId" params={{ ...place, transactionId }}>
        open attempt {attempt}
      </TextLink>
      .
    </Text>
  );
}

function Waiting({ waiting }: Pick<Transaction, 'waiting'>) {
  if (waiting === null) return null;
  return (
    <Alert variant="outline" color="yellow" icon={<IconClock />} title="Waiting">
      {waiting.message}. Since {minuteOf(waiting.since)}.
    </Alert>
  );
}

function Rejection({ requestedAt }: { requestedAt: string | null }) {
  if (requestedAt === null) return null;
  return (
    <Alert variant="outline" color="orange" title="The buyer asked for its rejection">
      Cancel the document, or settle it with the buyer. Asked for on {minuteOf(requestedAt)}.
    </Alert>
  );
}

function Cancellation({ cancellation }: Pick<Transaction, 'cancellation'>): ReactNode {
  if (cancellation === null || cancellation.status === 'Completed') return null;
  const [error] = cancellation.errors;
  if (cancellation.status !== 'Failed' || error === undefined) {
    return (
      <Alert variant="outline" color="yellow" icon={<IconClock />} title="A cancellation is on its way">
        Requested {minuteOf(cancellation.requestedAt)}.
      </Alert>
    );
  }
  return (
    <Alert variant="outline" color="red" title="The cancellation failed">
      {error.message} {error.hint}
    </Alert>
  );
}

function NotCancellable({ cancel }: Pick<Transaction, 'cancel'>) {
  if (cancel.isPossible) return null;
  return (
    <Text size="sm" c="dimmed">
      It cannot be cancelled. {cancel.reason}.
    </Text>
  );
}
