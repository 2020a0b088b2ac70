import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { unwrap, client } from '../../api/client';
import { hasRole } from '../../api/session';
import { ErrorAlert } from '../../parts/error-alert';
import { formatTimesIn } from '../../parts/malaysian-time';
import { Notice } from '../../parts/notice';
import { Page } from '../../parts/page';
import { useOrganisation } from '../../shell/use-session';
import { CREDITS_REFRESH_MS } from './refresh';
import { Lots } from './lots';
import { OrderDialog } from './order-dialog';
import { Orders } from './orders';
import { Statement } from './statement';

export function CreditsPage() {
  const organisation = useOrganisation();
  const { tenantId } = organisation;
  const [isOrdering, ordering] = useDisclosure(false);
  const query = useQuery({
    queryKey: ['credits', tenantId],
    queryFn: () =>
      unwrap(client.GET('/api/dashboard/organisations/{tenantId}/credits', { params: { path: { tenantId } } })),
    refetchInterval: CREDITS_REFRESH_MS,
  });
  const mayOrder = hasRole(organisation, 'member');
  const orderButton = mayOrder && (
    <Button leftSection={<IconPlus size={16} />} onClick={ordering.open}>
      Order credits
    </Button>
  );
  return (
    <Page title="Credits" actions={orderButton}>
      <Text c="dimmed" size="sm">
        Each accepted document and each cancellation costs one credit. The sandbox uses its own credits first.
        Production never uses sandbox credits.
      </Text>
      <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />
      {query.data?.warnings.map(({ message, hint }) => (
        <Notice key={message} kind="warning" title={formatTimesIn(message)}>
          {hint}.
        </Notice>
      ))}
      {query.isPending ? <Skeleton h={180} /> : query.data !== undefined && <Lots credits={query.data} />}
      <Stack gap="md" mt="sm">
        <Orders tenantId={tenantId} mayCancel={mayOrder} />
        <Statement tenantId={tenantId} />
      </Stack>
      {isOrdering && <OrderDialog tenantId={tenantId} packs={query.data?.packs ?? []} onClose={ordering.close} />}
    </Page>
  );
}
