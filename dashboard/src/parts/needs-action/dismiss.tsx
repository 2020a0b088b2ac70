import { Button, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { IconArchive } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { paths } from '../../api/schema';
import { useFormCall } from '../form';
import { FormDialog } from '../form-dialog';
import { readRows } from '../paging';
import type { Scope } from '../../api/session';
import { formatDocuments } from './causes';
import { refreshFailures } from './refresh';

/** Maximum number of documents of a call. */
const DISMISSED_AT_ONCE_MAX = 100;

interface DismissProps {
  scope: Scope;
  title: string;
  count: number;
  /** Whether the count was cut short. */
  hasMore?: boolean;
  /** Reads the transaction ids when the dialog is confirmed. */
  readIds: () => Promise<readonly string[]>;
  size?: 'xs' | 'sm';
}

export function DismissButton({ size = 'xs', ...props }: DismissProps) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" size={size} leftSection={<IconArchive size={16} />} onClick={open}>
        Dismiss
      </Button>
      {isOpen && <DismissDialog {...props} onClose={close} />}
    </>
  );
}

interface DismissDialogProps extends Omit<DismissProps, 'size'> {
  onClose: () => void;
  onDone?: (outcome: string) => void;
}

export function DismissDialog({ scope, title, count, hasMore = false, readIds, onClose, onDone }: DismissDialogProps) {
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: { reason: '' },
    validate: { reason: (reason) => (reason.trim() === '' ? 'Enter why no action is needed' : null) },
  });
  const dismiss = useFormCall(
    form,
    async ({ reason }) => {
      const documents = (await readIds()).map((transactionId) => ({ transactionId }));
      // The documents have been fixed or dismissed since.
      if (documents.length === 0) return { asked: 0, dismissed: 0 };
      const { dismissed } = await unwrap(
        client.POST('/api/dashboard/organisations/{tenantId}/{environment}/dismissals', {
          params: { path: { tenantId: scope.tenantId, environment: scope.environment } },
          body: { documents, reason },
        }),
      );
      return { asked: documents.length, dismissed };
    },
    async ({ asked, dismissed }) => {
      await refreshFailures(queryClient, scope);
      onClose();
      onDone?.(
        `${formatDocuments(dismissed)} dismissed${asked > dismissed ? '. The others had already been dismissed or sent again' : ''}`,
      );
    },
  );
  const dismissed = hasMore ? DISMISSED_AT_ONCE_MAX : Math.min(count, DISMISSED_AT_ONCE_MAX);
  return (
    <FormDialog
      title={title}
      action={`Dismiss ${hasMore ? 'up to ' : ''}${formatDocuments(dismissed)}`}
      call={dismiss}
      onClose={onClose}
    >
      <Text size="sm">
        Dismissing a document sends and charges nothing. The document returns when you take back the dismissal, or when
        it is submitted again and fails.
      </Text>
      {(hasMore || count > dismissed) && (
        <Text size="sm">
          The latest {dismissed}
          {!hasMore && ` of ${formatDocuments(count)}`} are dismissed. Dismiss the others afterwards.
        </Text>
      )}
      <TextInput
        label="Reason"
        description="At most 300 characters. It stays in the audit log with your name."
        required
        maxLength={300}
        data-autofocus
        {...form.getInputProps('reason')}
      />
    </FormDialog>
  );
}

type Filters =
  paths['/api/dashboard/organisations/{tenantId}/{environment}/transactions']['get']['parameters']['query'];

export async function readLatestIds({ tenantId, environment }: Scope, filters: Filters): Promise<string[]> {
  const rows = await readRows(
    (cursor) =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/{environment}/transactions', {
          params: { path: { tenantId, environment }, query: { ...filters, cursor, limit: DISMISSED_AT_ONCE_MAX } },
        }),
      ),
    DISMISSED_AT_ONCE_MAX,
  );
  return rows.map(({ transactionId }) => transactionId);
}
