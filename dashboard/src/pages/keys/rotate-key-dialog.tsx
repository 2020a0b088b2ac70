import { Select, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';
import { DayInput } from '../../parts/day-input';
import { useFormCall } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
import { computeDayEnd, formatMalaysianDay } from '../../parts/malaysian-time';
import { validateDay } from '../../parts/plain-day';
import { useOrganisation } from '../../shell/use-session';
import type { Key } from './key';

export type RotatedKey = components['schemas']['RotatedKeyDto'];

const OVERLAPS = [
  { value: '0', label: 'Stop it immediately' },
  { value: '1', label: '1 hour' },
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
  { value: '720', label: '30 days' },
];

interface RotateKeyDialogProps {
  rotated: Key;
  onMade: (made: RotatedKey) => unknown;
  onClose: () => void;
}

export function RotateKeyDialog({ rotated, onMade, onClose }: RotateKeyDialogProps) {
  const { tenantId } = useOrganisation();
  const form = useForm({
    mode: 'controlled',
    initialValues: { overlapHours: '24', expiresAt: '' },
    validate: { expiresAt: validateDay },
  });
  const call = useFormCall(
    form,
    ({ overlapHours, expiresAt }) => {
      const body = {
        overlapHours: Number(overlapHours),
        ...(expiresAt === '' ? {} : { expiresAt: computeDayEnd(expiresAt) }),
      };
      const path = { tenantId, keyId: rotated.keyId };
      return unwrap(
        client.POST('/api/dashboard/organisations/{tenantId}/keys/{keyId}/rotate', { params: { path }, body }),
      );
    },
    onMade,
  );
  return (
    <FormDialog title={`Rotate “${rotated.name}”`} action="Rotate key" call={call} onClose={onClose}>
      <Text size="sm">
        A new key with the same name and environment is created. The old key keeps working for the time that you choose,
        so that you can replace it without an interruption.
      </Text>
      <Select
        label="Keep the old key for"
        data={OVERLAPS}
        allowDeselect={false}
        data-autofocus
        {...form.getInputProps('overlapHours')}
      />
      <DayInput
        label="The new key expires"
        description="At the end of this day in Malaysia. Leave it empty for a key that does not expire."
        min={formatMalaysianDay()}
        {...form.getInputProps('expiresAt')}
      />
    </FormDialog>
  );
}
