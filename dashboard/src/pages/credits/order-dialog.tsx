import { Button, Group, NumberInput, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { unwrap, client } from '../../api/client';
import { Dialog } from '../../parts/dialog';
import { ErrorAlert } from '../../parts/error-alert';
import { useFormCall } from '../../parts/form';

interface OrderDialogProps {
  tenantId: string;
  onClose: () => void;
}

export function OrderDialog({ tenantId, onClose }: OrderDialogProps) {
  return (
    <Dialog onClose={onClose} title="Order credits">
      <OrderForm tenantId={tenantId} onDone={onClose} />
    </Dialog>
  );
}

function OrderForm({ tenantId, onDone }: { tenantId: string; onDone: () => void }) {
  const queryClient = useQueryClient();
  const form = useForm<{ credits: number | string; note: string }>({
    mode: 'uncontrolled',
    initialValues: { credits: 1_000, note: '' },
    validate: { credits: (credits) => (typeof credits === 'number' ? null : 'Enter how many credits you want') },
  });
  const { onSubmit, pending, error, problems } = useFormCall(
    form,
    ({ credits, note }) =>
      unwrap(
        client.POST('/api/dashboard/organisations/{tenantId}/credits/orders', {
          params: { path: { tenantId } },
          body: { credits: Number(credits), note },
        }),
      ),
    async () => {
      await queryClient.invalidateQueries({ queryKey: ['credits', tenantId] });
      onDone();
    },
  );
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack>
        <ErrorAlert error={error} problems={problems} />
        <NumberInput
          label="Credits"
          description="1 to 1,000,000. One for each document, one for each cancellation."
          required
          min={1}
          max={1_000_000}
          clampBehavior="none"
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator=","
          data-autofocus
          key={form.key('credits')}
          {...form.getInputProps('credits')}
        />
        <Textarea
          label="Note"
          description="For the person who confirms the payment, such as the reference of your transfer."
          autosize
          minRows={2}
          key={form.key('note')}
          {...form.getInputProps('note')}
        />
        <Text size="sm" c="dimmed">
          The credits can be spent once an operator of this service has confirmed the payment.
        </Text>
        <Group justify="flex-end">
          <Button type="submit" loading={pending}>
            Order
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
