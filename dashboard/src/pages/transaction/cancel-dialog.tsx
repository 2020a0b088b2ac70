import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { IconBan } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap, client } from '../../api/client';
import { Dialog, DialogButtons } from '../../parts/dialog';
import { ErrorAlert } from '../../parts/error-alert';
import { formatDuration } from '../../parts/format';
import { formatInstant } from '../../parts/malaysian-time';
import { useFormCall } from '../../parts/form';
import { createIdempotencyKey } from '../../parts/idempotency-key';
import type { TransactionScope, Transaction } from './use-transaction';

interface CancelProps {
  scope: TransactionScope;
  transaction: Transaction;
}

export function CancelButton(props: CancelProps) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="outline" color="red" leftSection={<IconBan size={16} />} onClick={open}>
        Cancel document
      </Button>
      {isOpen && (
        <Dialog onClose={close} title={`Cancel ${props.transaction.referenceId}`}>
          <CancelForm {...props} onClose={close} />
        </Dialog>
      )}
    </>
  );
}

function CancelForm({ scope, transaction, onClose }: CancelProps & { onClose: () => void }) {
  const { tenantId, environment } = scope;
  const { documentId, cancellableUntil, now } = transaction;
  const queryClient = useQueryClient();
  // One key per dialog, so that a second click or a retry after a lost response is not charged again.
  const [key] = useState(() => createIdempotencyKey());
  const form = useForm({ initialValues: { cancellationReason: '' } });
  const cancel = useFormCall(
    form,
    ({ cancellationReason }) =>
      unwrap(
        client.POST('/api/dashboard/organisations/{tenantId}/{environment}/documents/{documentId}/cancel', {
          params: { path: { tenantId, environment, documentId }, header: { 'idempotency-key': key } },
          body: cancellationReason.trim() === '' ? {} : { cancellationReason },
        }),
      ),
    async () => {
      await queryClient.invalidateQueries({ queryKey: ['transactions', tenantId, environment] });
      onClose();
    },
  );
  return (
    <form onSubmit={cancel.onSubmit} noValidate>
      <Stack>
        <Text size="sm">
          The tax authority and the buyer will see the cancellation. It costs one credit, even if the authority refuses
          it.
        </Text>
        {cancellableUntil !== null && (
          <Text size="sm">
            Possible until {formatInstant(cancellableUntil)}:{' '}
            {formatDuration((Date.parse(cancellableUntil) - Date.parse(now)) / 1_000)} left.
          </Text>
        )}
        <ErrorAlert error={cancel.error} problems={cancel.problems} />
        <TextInput
          label="Reason"
          description="At most 300 characters. Default: Cancelled by the issuer."
          maxLength={300}
          data-autofocus
          {...form.getInputProps('cancellationReason')}
        />
        <DialogButtons>
          <Button variant="default" onClick={onClose}>
            Keep the document
          </Button>
          <Button type="submit" color="red" loading={cancel.pending}>
            Cancel it for 1 credit
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}
