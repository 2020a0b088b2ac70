import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap, client } from '../../api/client';
import { ConfirmDialog } from '../../parts/confirm-dialog';
import { Count } from '../../parts/count';
import { type Column, DataTable } from '../../parts/data-table';
import { formatDocumentType, formatEnvironment } from '../../parts/format';
import { Instant } from '../../parts/instant';
import { toList } from '../../parts/to-list';
import { type Queue, QUEUE_KEY } from './queue-query';

type DeadLetter = Queue['deadLetters'][number];

/** Retries all dead letters of a consumer, or those of one document. */
interface Retry {
  consumer: string;
  document: DeadLetter | null;
}

const COLUMNS: readonly Column<DeadLetter>[] = [
  { header: 'Consumer', cell: ({ consumer }) => consumer },
  { header: 'Organisation', cell: ({ tenantName, environment }) => `${tenantName}, ${formatEnvironment(environment)}` },
  { header: 'Document', cell: formatDocument },
  { header: 'Failures', align: 'right', cell: ({ attempts }) => <Count value={attempts} /> },
  { header: 'Last error', cell: ({ error }) => <Text size="sm">{error}</Text> },
  { header: 'Since', cell: ({ deadAt }) => <Instant at={deadAt} /> },
];

export function DeadLetters({ query }: { query: UseQueryResult<Queue> }) {
  const [retry, setRetry] = useState<Retry | null>(null);
  const deadLetters = query.data?.deadLetters ?? [];
  if (deadLetters.length === 0 && retry === null) return null;
  const consumers = [...new Set(deadLetters.map(({ consumer }) => consumer))];
  return (
    <Stack gap="sm">
      <Title order={2}>Events that a consumer cannot handle</Title>
      <Group justify="space-between">
        <Text c="dimmed" size="sm" maw={760}>
          For this consumer, later events of the same document wait. The document itself, other consumers and other
          documents are not affected. Fix the consumer, then retry.
        </Text>
        <Group gap="xs">
          {consumers.map((consumer) => (
            <Button key={consumer} variant="default" onClick={() => setRetry({ consumer, document: null })}>
              Retry all of {consumer}
            </Button>
          ))}
        </Group>
      </Group>
      <DataTable
        label="Events that a consumer cannot handle"
        columns={[...COLUMNS, retryColumn(setRetry)]}
        query={toList(query, (queue) => queue.deadLetters)}
        rowKey={({ consumer, eventId }) => `${consumer} ${eventId}`}
        empty={null}
      />
      {retry !== null && <RetryDialog retry={retry} onClose={() => setRetry(null)} />}
    </Stack>
  );
}

function formatDocument({ documentType, referenceId }: DeadLetter): string {
  return `${formatDocumentType(documentType)} ${referenceId}`;
}

function retryColumn(onRetry: (retry: Retry) => void): Column<DeadLetter> {
  return {
    header: 'Retry',
    cell: (letter) => (
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Retry ${formatDocument(letter)} for ${letter.consumer}`}
        onClick={() => onRetry({ consumer: letter.consumer, document: letter })}
      >
        Retry
      </Button>
    ),
  };
}

function RetryDialog({ retry: { consumer, document }, onClose }: { retry: Retry; onClose: () => void }) {
  const queryClient = useQueryClient();
  const body = { consumer, ...(document === null ? {} : { documentId: document.documentId }) };
  const what = document === null ? 'Every failed event' : `The event of ${formatDocument(document)}`;
  return (
    <ConfirmDialog
      title={`Retry for ${consumer}`}
      confirm="Retry"
      call={() => unwrap(client.POST('/api/dashboard/operator/events/retry', { body }))}
      onDone={() => queryClient.invalidateQueries({ queryKey: QUEUE_KEY })}
      onClose={onClose}
    >
      <Text size="sm">
        {what} is delivered again, followed by the events that wait behind it. If the consumer still fails, the event
        appears here again after about one working day. No event is lost.
      </Text>
    </ConfirmDialog>
  );
}
