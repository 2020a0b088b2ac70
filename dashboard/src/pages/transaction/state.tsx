import { Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { Finding } from '../../parts/finding';
import { Instant } from '../../parts/instant';
import { TextLink } from '../../parts/links';
import { Notice } from '../../parts/notice';
import { StatusBadge } from '../../parts/status-badge';
import { Dismissal } from './dismissal';
import type { TransactionScope, Transaction } from './use-transaction';

interface StateProps {
  scope: TransactionScope;
  transaction: Transaction;
}

export function State({ scope, transaction }: StateProps) {
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <StatusBadge status={transaction.status} />
        {/* Announces a change of the status to screen readers. */}
        <VisuallyHidden component="output">
          {transaction.referenceId}: {transaction.status}
        </VisuallyHidden>
        <Text size="sm" c="dimmed">
          attempt {transaction.attempt}, accepted <Instant at={transaction.createdAt} />
        </Text>
      </Group>
      {!transaction.isCurrent && <Superseded scope={scope} transaction={transaction} />}
      <Dismissal scope={scope} transaction={transaction} />
      <Waiting waiting={transaction.waiting} />
      {transaction.status === 'Valid' && (
        <Rejection requestedAt={transaction.rejectionRequestedAt} canCancel={transaction.cancel.isPossible} />
      )}
      <Cancellation cancellation={transaction.cancellation} />
      {transaction.status === 'Valid' && transaction.isCurrent && !isUnderWay(transaction.cancellation) && (
        <NotCancellable cancel={transaction.cancel} />
      )}
    </Stack>
  );
}

function Superseded({ scope, transaction: { attempts } }: StateProps) {
  const [{ transactionId, attempt }] = attempts;
  return (
    <Text size="sm">
      This document has been submitted again:{' '}
      <TextLink to="/o/$tenantId/$environment/transactions/$transactionId" params={{ ...scope, transactionId }}>
        open attempt {attempt}
      </TextLink>
      .
    </Text>
  );
}

function Waiting({ waiting }: Pick<Transaction, 'waiting'>) {
  if (waiting === null) return null;
  return (
    <Notice kind="waiting" title="Waiting">
      {waiting.message}. {waiting.hint} Since <Instant at={waiting.since} />.
    </Notice>
  );
}

function Rejection({ requestedAt, canCancel }: { requestedAt: string | null; canCancel: boolean }) {
  if (requestedAt === null) return null;
  return (
    <Notice kind="warning" title="The buyer requested its rejection">
      {canCancel ? 'Cancel the document, or settle it with the buyer.' : 'Settle it with the buyer.'} Requested on{' '}
      <Instant at={requestedAt} />.
    </Notice>
  );
}

export function isUnderWay(cancellation: Transaction['cancellation']): boolean {
  return cancellation?.status === 'Queued' || cancellation?.status === 'Processing';
}

function Cancellation({ cancellation }: Pick<Transaction, 'cancellation'>): ReactNode {
  if (cancellation === null || cancellation.status === 'Completed') return null;
  const [error] = cancellation.errors;
  if (cancellation.status !== 'Failed' || error === undefined) {
    return (
      <Notice kind="waiting" title="A cancellation is under way">
        Requested <Instant at={cancellation.requestedAt} />.
      </Notice>
    );
  }
  return (
    <Notice kind="bad" title="The cancellation failed">
      <Finding {...error} />
    </Notice>
  );
}

function NotCancellable({ cancel }: Pick<Transaction, 'cancel'>) {
  if (cancel.isPossible) return null;
  return (
    <Text size="sm" c="dimmed">
      This document cannot be cancelled. {cancel.reason}.
    </Text>
  );
}
