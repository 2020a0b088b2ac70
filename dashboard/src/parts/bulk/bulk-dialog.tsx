import { Button, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { client, unwrap } from '../../api/client';
import type { paths } from '../../api/schema';
import { ChoiceSelect } from '../choice-select';
import { Dialog, DialogButtons } from '../dialog';
import { ErrorAlert } from '../error-alert';
import { useFormCall } from '../form';
import type { Scope } from '../../api/session';
import { CodeSelect, type CodeSelectProps } from '../organisation/code-select';

type Create = paths['/api/dashboard/organisations/{tenantId}/{environment}/bulk-jobs']['post'];
type Body = Create['requestBody']['content']['application/json'];
type Kind = Body['kind'];
type Filters = NonNullable<Create['parameters']['query']>;

interface BulkDialogProps {
  scope: Scope;
  kind: Kind;
  /** Filters of the list to change. Their cause names the field to correct. */
  filters: Filters;
  /** Replaces the filters. */
  documents?: readonly string[];
  title?: string;
  onClose: () => void;
}

const TITLES: Readonly<Record<Kind, string>> = {
  correct: 'Correct all failed documents of this list',
  cancel: 'Cancel all valid documents of this list',
};

export function BulkDialog(props: BulkDialogProps) {
  const { scope, kind, title = TITLES[kind], onClose } = props;
  const { tenantId, environment } = scope;
  const fields = useQuery({
    queryKey: ['bulk-fields', tenantId, environment],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/{environment}/bulk-fields', {
          params: { path: { tenantId, environment } },
        }),
      ),
    staleTime: Infinity,
  });
  // Opens only after its inputs exist, because a dialog focuses its first input when it opens.
  if (fields.isPending) return null;
  return (
    <Dialog onClose={onClose} title={title}>
      <ErrorAlert error={fields.error} onRetry={() => void fields.refetch()} />
      {fields.data !== undefined && <BulkForm {...props} fields={fields.data.fields} />}
    </Dialog>
  );
}

type Field = { field: string; name: string };

function BulkForm(props: BulkDialogProps & { fields: readonly Field[] }) {
  const { scope, kind, filters, documents, fields, onClose } = props;
  const { tenantId, environment } = scope;
  const navigate = useNavigate();
  const { cause = '' } = filters;
  const named = cause.slice(cause.indexOf(':') + 1);
  const form = useForm({
    initialValues: {
      field: fields.find(({ field }) => field === named)?.field ?? '',
      value: '',
      reason: '',
    },
    validate: {
      field: (field) => (kind === 'correct' && field === '' ? 'Choose a field' : null),
      value: (value) => (kind === 'correct' && value.trim() === '' ? 'Enter the new value' : null),
      reason: (reason) => (kind === 'cancel' && reason.trim() === '' ? 'Enter the reason for the cancellation' : null),
    },
  });
  const check = useFormCall(
    form,
    ({ field, value, reason }) =>
      unwrap(
        client.POST('/api/dashboard/organisations/{tenantId}/{environment}/bulk-jobs', {
          params: { path: { tenantId, environment }, query: documents === undefined ? filters : {} },
          body: {
            ...(kind === 'correct' ? ({ kind, field, value } as Body) : { kind, reason }),
            documents: documents?.map((transactionId) => ({ transactionId })),
          },
        }),
      ),
    ({ jobId }) => navigate({ to: '/o/$tenantId/$environment/bulk/$jobId', params: { ...scope, jobId } }),
  );
  return (
    <form onSubmit={check.onSubmit} noValidate>
      <Stack>
        <Text size="sm">
          Each document is checked first. You see which documents would be refused and what the others cost. Documents
          are sent only after you confirm.
        </Text>
        <ErrorAlert error={check.error} problems={check.problems} />
        {kind === 'correct' ? <CorrectionInputs form={form} fields={fields} /> : <ReasonInput form={form} />}
        <DialogButtons>
          <Button variant="default" onClick={onClose}>
            Back
          </Button>
          <Button type="submit" loading={check.pending}>
            Check
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}

type Form = UseFormReturnType<{ field: string; value: string; reason: string }>;

function CorrectionInputs({ form, fields }: { form: Form; fields: readonly Field[] }) {
  return (
    <>
      <ChoiceSelect
        label="Field"
        data={fields.map(({ field, name }) => ({ value: field, label: name }))}
        required
        {...form.getInputProps('field')}
        onChange={(field) => form.setValues({ field: field ?? '', value: '' })}
      />
      <ValueInput key={form.values.field} form={form} />
    </>
  );
}

const KINDS = [
  { value: 'company', label: 'Company' },
  { value: 'individual', label: 'Individual' },
];

/** Code lists of the fields that the invoice form offers as choices. */
const LISTS: Readonly<Record<string, Pick<CodeSelectProps, 'list' | 'by'>>> = {
  '/recipient/state': { list: 'states', by: 'slug' },
  '/recipient/country': { list: 'countries' },
  '/lineItems/*/classification': { list: 'classifications' },
  '/lineItems/*/unitCode': { list: 'units' },
  '/lineItems/*/taxType': { list: 'tax-types' },
};

function ValueInput({ form }: { form: Form }) {
  const { field } = form.values;
  const props = {
    label: 'New value',
    required: true,
    'data-autofocus': true,
    ...form.getInputProps('value'),
  };
  const change = (value: string | null): void => form.setFieldValue('value', value ?? '');
  if (field === '/recipient/entity_type') return <Select data={KINDS} allowDeselect={false} {...props} />;
  if (Object.hasOwn(LISTS, field))
    return <CodeSelect {...LISTS[field]} allowDeselect={false} {...props} onChange={change} />;
  return <TextInput {...props} description="The same value is used for all of these documents." maxLength={300} />;
}

function ReasonInput({ form }: { form: Form }) {
  return (
    <TextInput
      label="Reason"
      description="The tax authority and the buyers will see it."
      required
      maxLength={300}
      data-autofocus
      {...form.getInputProps('reason')}
    />
  );
}
