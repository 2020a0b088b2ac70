import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import { hasRole } from '../../api/session';
import { Actor } from '../../parts/actor';
import { ErrorAlert } from '../../parts/error-alert';
import { Instant } from '../../parts/instant';
import { DismissButton } from '../../parts/needs-action/dismiss';
import { refreshFailures } from '../../parts/needs-action/refresh';
import { Notice } from '../../parts/notice';
import { useOrganisation } from '../../shell/use-session';
import type { TransactionScope, Transaction } from './use-transaction';

interface DismissalProps {
  scope: TransactionScope;
  transaction: Transaction;
}

export function Dismissal({ scope, transaction: { dismissal } }: DismissalProps) {
  const mayTakeBack = hasRole(useOrganisation(), 'member');
  const queryClient = useQueryClient();
  const takeBack = useMutation({
    mutationFn: () =>
      unwrap(
        client.DELETE('/api/dashboard/organisations/{tenantId}/{environment}/dismissals/{transactionId}', {
          params: { path: scope },
        }),
      ),
    onSuccess: () => refreshFailures(queryClient, scope),
  });
  if (dismissal === null) return null;
  return (
    <Notice kind="info" title="Dismissed: no action needed">
      <Group justify="space-between">
        <div>
          {dismissal.reason} (<Actor actor={dismissal.by} />, <Instant at={dismissal.at} />)
        </div>
        {mayTakeBack && (
          <Button variant="default" size="xs" loading={takeBack.isPending} onClick={() => takeBack.mutate()}>
            Take back
          </Button>
        )}
      </Group>
      <ErrorAlert error={takeBack.error} />
    </Notice>
  );
}

export function DismissDocument({ scope, transaction: { referenceId, transactionId } }: DismissalProps) {
  return (
    <DismissButton
      scope={scope}
      title={`Dismiss ${referenceId}`}
      count={1}
      size="sm"
      readIds={() => Promise.resolve([transactionId])}
    />
  );
}
