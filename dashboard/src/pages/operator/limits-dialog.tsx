import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';
import { AmountInput } from '../../parts/amount-input';
import { useFormCall } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
import { validateWholeNumber } from '../../parts/plain-amount';

interface LimitsDialogProps {
  organisation: components['schemas']['OrganisationListingDto'];
  onClose: () => void;
}

const FIELDS = [
  { name: 'requests', label: 'Requests per minute' },
  { name: 'submits', label: 'Submits per minute' },
  { name: 'tinChecks', label: 'TIN checks per minute' },
] as const;

const toFigure = (value: number | string): number | undefined => (value === '' ? undefined : Number(value));

export function LimitsDialog({ organisation, onClose }: LimitsDialogProps) {
  const { tenantId, name, rateLimits } = organisation;
  const queryClient = useQueryClient();
  const form = useForm<Record<(typeof FIELDS)[number]['name'], number | string>>({
    initialValues: {
      requests: rateLimits.requests ?? '',
      submits: rateLimits.submits ?? '',
      tinChecks: rateLimits.tinChecks ?? '',
    },
    validate: { requests: validateWholeNumber, submits: validateWholeNumber, tinChecks: validateWholeNumber },
  });
  const call = useFormCall(
    form,
    ({ requests, submits, tinChecks }) =>
      unwrap(
        client.POST('/api/dashboard/operator/organisations/{tenantId}/rate-limits', {
          params: { path: { tenantId } },
          body: { requests: toFigure(requests), submits: toFigure(submits), tinChecks: toFigure(tinChecks) },
        }),
      ),
    async () => {
      await queryClient.invalidateQueries({ queryKey: ['operator', 'organisations'] });
      onClose();
    },
  );
  return (
    <FormDialog title={`Request limits of ${name}`} action="Save" call={call} onClose={onClose}>
      <Text size="sm">
        Limits for all API keys of the organisation together. An empty field means the default limit, and 0 means
        unlimited.
      </Text>
      {FIELDS.map(({ name: field, label }) => (
        <AmountInput key={field} isWhole label={label} placeholder="Default" {...form.getInputProps(field)} />
      ))}
    </FormDialog>
  );
}
