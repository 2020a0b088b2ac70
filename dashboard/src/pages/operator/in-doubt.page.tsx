import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { type Column, DataTable } from '../../parts/data-table';
import { EmptyState } from '../../parts/empty-state';
import { formatEnvironment } from '../../parts/format';
import { Instant } from '../../parts/instant';
import { toList } from '../../parts/to-list';
import { Page } from '../../parts/page';
import { useQueue } from './queue-query';
import { type Decision, type Doubt, ReleaseDialog } from './release-dialog';

const NUMBERS_SHOWN = 3;

const COLUMNS: readonly Column<Doubt>[] = [
  { header: 'Organisation', cell: ({ tenantName, environment }) => `${tenantName}, ${formatEnvironment(environment)}` },
  { header: 'Documents', cell: ({ referenceIds }) => formatNumbers(referenceIds) },
  { header: 'First sent', cell: ({ sentAt }) => <Instant at={sentAt} /> },
  { header: 'Reason', cell: ({ reason }) => reason ?? 'unknown' },
  {
    header: 'Next lookup',
    cell: ({ nextLookAt }) => (nextLookAt === null ? <b>none</b> : <Instant at={nextLookAt} />),
  },
];

interface Deciding {
  doubt: Doubt;
  decision: Decision;
}

export function InDoubtPage() {
  const query = useQueue();
  const [deciding, setDeciding] = useState<Deciding | null>(null);
  return (
    <Page title="In doubt">
      <Text c="dimmed" size="sm" maw={760}>
        The authority may or may not have the documents of these calls, or no dispatcher processes them. Documents are
        looked up automatically for 115 minutes after the first send. After that, search the authority’s portal for the
        numbers, by organisation and time of the send, and decide. If you are not sure, wait: a duplicate document costs
        more than a late one.
      </Text>
      <DataTable
        label="Submissions in doubt"
        columns={[...COLUMNS, decisionsColumn(setDeciding)]}
        query={toList(query, (queue) => queue.doubts)}
        rowKey={({ submissionId }) => submissionId}
        empty={
          <EmptyState
            title="No call is in doubt"
            text="The authority responded to every call, or the documents were found."
          />
        }
      />
      {deciding !== null && <ReleaseDialog {...deciding} onClose={() => setDeciding(null)} />}
    </Page>
  );
}

const LABELS: Record<Decision, string> = {
  adopt: 'It is there',
  outcome: 'Enter outcome',
  resend: 'Send again',
  fail: 'Give up',
};

function decisionsColumn(onDecide: (deciding: Deciding) => void): Column<Doubt> {
  return { header: 'Decide', cell: (doubt) => <Decisions doubt={doubt} onDecide={onDecide} /> };
}

function Decisions({ doubt, onDecide }: { doubt: Doubt; onDecide: (deciding: Deciding) => void }) {
  return (
    <Group gap="xs">
      {doubt.decisions.map((decision) => (
        <Button
          key={decision}
          size="compact-sm"
          variant="default"
          c={decision === 'fail' ? 'var(--mantine-color-error)' : undefined}
          aria-label={`${LABELS[decision]}: ${formatNumbers(doubt.referenceIds)} of ${doubt.tenantName}`}
          onClick={() => onDecide({ doubt, decision })}
        >
          {LABELS[decision]}
        </Button>
      ))}
    </Group>
  );
}

function formatNumbers(referenceIds: readonly string[]): string {
  const shown = referenceIds.slice(0, NUMBERS_SHOWN).join(', ');
  const more = referenceIds.length - NUMBERS_SHOWN;
  return more > 0 ? `${shown} and ${more} more` : shown;
}
