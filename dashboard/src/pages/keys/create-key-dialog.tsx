import { Select, TextInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { unwrap, client } from '../../api/client';
import type { Environment } from '../../api/session';
import { DayInput } from '../../parts/day-input';
import { formatEnvironment } from '../../parts/format';
import { useFormCall } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
import { computeDayEnd, formatMalaysianDay } from '../../parts/malaysian-time';
import { validateDay } from '../../parts/plain-day';
import { useOrganisation, useSession } from '../../shell/use-session';
import type { MadeKey } from './key';

export function CreateKeyDialog({ onMade, onClose }: { onMade: (made: MadeKey) => unknown; onClose: () => void }) {
  const { environments } = useSession();
  const { tenantId } = useOrganisation();
  const form = useForm({
    mode: 'controlled',
    initialValues: { name: '', environment: environments[0], expiresAt: '' },
    validate: {
      name: isNotEmpty('Enter what the key is for, such as the program that will use it'),
      expiresAt: validateDay,
    },
  });
  const call = useFormCall(
    form,
    ({ name, environment, expiresAt }) => {
      const body = { name, environment, ...(expiresAt === '' ? {} : { expiresAt: computeDayEnd(expiresAt) }) };
      return unwrap(
        client.POST('/api/dashboard/organisations/{tenantId}/keys', { params: { path: { tenantId } }, body }),
      );
    },
    onMade,
  );
  return (
    <FormDialog title="Create an API key" action="Create key" call={call} onClose={onClose}>
      <TextInput
        label="Name"
        description="Purpose of the key, such as the program that will use it."
        required
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Select
        label="Environment"
        description="A key is valid for one environment. Sandbox documents have no legal effect."
        data={environments.map((value: Environment) => ({ value, label: formatEnvironment(value) }))}
        allowDeselect={false}
        {...form.getInputProps('environment')}
      />
      <DayInput
        label="Expires"
        description="At the end of this day in Malaysia. Leave it empty for a key that does not expire."
        min={formatMalaysianDay()}
        {...form.getInputProps('expiresAt')}
      />
    </FormDialog>
  );
}
