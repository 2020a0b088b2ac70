import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unwrap, client } from '../../api/client';
import { ErrorAlert } from '../../parts/error-alert';
import { formatCount } from '../../parts/format';
import { Instant } from '../../parts/instant';
import { TextLink } from '../../parts/links';
import type { Key } from './key';

type KeyActivityProps = Pick<Key, 'keyId' | 'environment'> & { tenantId: string };

function formatNumber(number: number, one: string, many: string): string {
  return `${formatCount(number)} ${number === 1 ? one : many}`;
}

export function KeyActivity({ tenantId, environment, keyId }: KeyActivityProps) {
  const query = useQuery({
    queryKey: ['keys', tenantId, keyId, 'activity'],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/keys/{keyId}/activity', {
          params: { path: { tenantId, keyId } },
        }),
      ),
  });
  if (query.isError) return <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Text size="sm">Counting its documents …</Text>;
  const { submissionCount, documentCount, cancellationCount, isCapped, lastSubmissionAt } = query.data;
  if (submissionCount === 0 && cancellationCount === 0) {
    return <Text size="sm">No documents have been accepted from this key.</Text>;
  }
  return (
    <Stack gap={4}>
      <Text size="sm">
        It has submitted {isCapped && 'at least '}
        {formatNumber(documentCount, 'document', 'documents')} in {formatNumber(submissionCount, 'batch', 'batches')}{' '}
        and requested {formatNumber(cancellationCount, 'cancellation', 'cancellations')}.
      </Text>
      {lastSubmissionAt !== null && (
        <Text size="sm">
          The last batch was accepted <Instant at={lastSubmissionAt} />.
        </Text>
      )}
      <Text size="sm">
        <TextLink
          to="/o/$tenantId/$environment/transactions"
          params={{ tenantId, environment }}
          search={{ by: `key:${keyId}` }}
        >
          Show its documents
        </TextLink>
      </Text>
    </Stack>
  );
}
