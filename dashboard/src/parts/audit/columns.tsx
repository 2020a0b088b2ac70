import { Text } from '@mantine/core';
import type { Column } from '../data-table';
import { Instant } from '../instant';
import { type AuditEntry, describeAction, describeFacts } from './words';

const WRAPPED = { overflowWrap: 'anywhere' } as const;

export const AUDIT_COLUMNS: readonly Column<AuditEntry>[] = [
  { header: 'When', cell: ({ at }) => <Instant at={at} /> },
  { header: 'Who', cell: ({ actor }) => actor },
  {
    header: 'Did what',
    cell: (entry) => (
      <Text inherit miw={200} style={WRAPPED}>
        {describeAction(entry)}
      </Text>
    ),
  },
  {
    header: 'Details',
    cell: (entry) => (
      <Text size="xs" c="dimmed" miw={180} style={WRAPPED}>
        {describeFacts(entry)}
      </Text>
    ),
  },
  { header: 'From', cell: ({ ip }) => ip ?? '–' },
];
