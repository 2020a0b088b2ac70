import { Text, Textarea } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';
import { DayInput } from '../../parts/day-input';
import { FormDialog } from '../../parts/form-dialog';
import { useFormCall } from '../../parts/form';
import { formatDay, formatMalaysianDay } from '../../parts/malaysian-time';
import { validateDay } from '../../parts/plain-day';

export type Order = components['schemas']['OperatorOrderDto'];

interface DialogProps {
  order: Order;
  onClose: () => void;
}

function toPathParams({ tenantId, orderId }: Order) {
  return { path: { tenantId, orderId } };
}

function computeDefaultLastDay(): string {
  const today = formatMalaysianDay();
  const [year, rest] = [Number(today.slice(0, 4)) + 1, today.slice(4)];
  return `${year}${rest === '-02-29' ? '-02-28' : rest}`;
}

export function ConfirmOrder({ order, onClose }: DialogProps) {
  const form = useForm({ initialValues: { lastDay: computeDefaultLastDay() }, validate: { lastDay: validateDay } });
  const { lastDay } = form.values;
  const call = useFormCall(
    form,
    (body) =>
      unwrap(
        client.POST('/api/dashboard/operator/orders/{tenantId}/{orderId}/confirm', {
          params: toPathParams(order),
          body,
        }),
      ),
    useOrdersChanged(onClose),
  );
  return (
    <FormDialog title="Confirm the payment" onClose={onClose} call={call} action="Grant the credits">
      <Text size="sm">
        {order.organisation} receives <b>{order.credits.toLocaleString('en')} credits</b>, valid until the end of{' '}
        <b>{validateDay(lastDay) === null ? formatDay(lastDay) : 'the last day'}</b> in Malaysia. You cannot undo this.
      </Text>
      {order.note !== null && <Text size="sm">Note of the order: {order.note}</Text>}
      <DayInput label="Last day" required {...form.getInputProps('lastDay')} />
    </FormDialog>
  );
}

export function RefuseOrder({ order, onClose }: DialogProps) {
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { reason: '' },
    validate: { reason: isNotEmpty('Enter a reason for the organisation to read') },
  });
  const call = useFormCall(
    form,
    (body) =>
      unwrap(
        client.POST('/api/dashboard/operator/orders/{tenantId}/{orderId}/refuse', {
          params: toPathParams(order),
          body,
        }),
      ),
    useOrdersChanged(onClose),
  );
  return (
    <FormDialog title="Refuse the order" onClose={onClose} call={call} action="Refuse the order" isDangerous>
      <Text size="sm">
        {order.organisation} does not receive the {order.credits.toLocaleString('en')} credits of this order and may
        order again.
      </Text>
      <Textarea
        label="Reason"
        description="Shown to the organisation."
        required
        autosize
        minRows={2}
        data-autofocus
        key={form.key('reason')}
        {...form.getInputProps('reason')}
      />
    </FormDialog>
  );
}

function useOrdersChanged(onClose: () => void): () => Promise<void> {
  const queryClient = useQueryClient();
  return async () => {
    await queryClient.invalidateQueries({ queryKey: ['operator', 'orders'] });
    onClose();
  };
}
