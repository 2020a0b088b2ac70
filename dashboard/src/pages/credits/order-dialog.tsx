import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { unwrap, client } from '../../api/client';
import { AmountInput } from '../../parts/amount-input';
import { Dialog, DialogButtons } from '../../parts/dialog';
import { ErrorAlert } from '../../parts/error-alert';
import { formatAmount } from '../../parts/format';
import { useFormCall } from '../../parts/form';
import { validateWholeNumber } from '../../parts/plain-amount';
import type { Credits } from './lots';

interface OrderDialogProps {
  tenantId: string;
  packs: Credits['packs'];
  onClose: () => void;
}

export function OrderDialog({ tenantId, packs, onClose }: OrderDialogProps) {
  return (
    <Dialog onClose={onClose} title="Order credits">
      <OrderForm tenantId={tenantId} packs={packs} onDone={onClose} />
    </Dialog>
  );
}

function OrderForm({ tenantId, packs, onDone }: Omit<OrderDialogProps, 'onClose'> & { onDone: () => void }) {
  const queryClient = useQueryClient();
  const form = useForm<{ credits: number | string; note: string }>({
    mode: 'controlled',
    initialValues: { credits: packs[0]?.credits ?? 1_000, note: '' },
    validate: {
      credits: (credits) => (credits === '' ? 'Enter how many credits you want' : validateWholeNumber(credits)),
    },
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
        {packs.length > 0 && (
          <Group gap="xs">
            {packs.map(({ credits, price }) => (
              <Button key={credits} variant="default" onClick={() => form.setFieldValue('credits', credits)}>
                {credits.toLocaleString('en-MY')} credits, {formatAmount(price)}
              </Button>
            ))}
          </Group>
        )}
        <AmountInput
          isWhole
          label="Credits"
          description={`1 to 1,000,000. Each document and each cancellation costs one credit.${packs.length > 0 ? ' To order a number that is not a pack, first agree on the price with the operator.' : ''}`}
          required
          data-autofocus
          {...form.getInputProps('credits')}
        />
        <Textarea
          label="Note"
          description="For the person who confirms the payment."
          autosize
          minRows={2}
          {...form.getInputProps('note')}
        />
        <Text size="sm" c="dimmed">
          Each order has a payment reference. State it on your transfer. You can use the credits after the operator has
          confirmed the payment.
        </Text>
        <DialogButtons>
          <Button type="submit" loading={pending}>
            Order
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}
