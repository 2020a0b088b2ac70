import {
  ActionIcon,
  Button,
  Fieldset,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Tabs,
  Text,
  TextInput,
} from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useRef } from 'react';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';
import type { Environment } from '../../api/session';
import { Copyable } from '../copyable';
import { ErrorAlert } from '../error-alert';
import { useFormCall } from '../form';
import { INPUT_FIRST } from '../input-order';
import { CodeSelect } from '../organisation/code-select';
import { amountText, toSubmitBody, EMPTY_LINE, type InvoiceValues, lineTotal, payable } from './values';

type Accepted = components['schemas']['SubmitAcceptedDto'];
type Form = UseFormReturnType<InvoiceValues>;

interface InvoiceFormProps {
  tenantId: string;
  environment: Environment;
  initialValues: InvoiceValues;
  submitLabel: string;
  onAccepted: (submissionBatchId: string) => unknown;
}

/** One invoice, filled in by hand and sent as the API would; next to it the same request as JSON. */
export function InvoiceForm({ tenantId, environment, initialValues, submitLabel, onAccepted }: InvoiceFormProps) {
  const form = useForm<InvoiceValues>({ mode: 'controlled', initialValues });
  const keyFor = useIdempotencyKey();
  const { onSubmit, pending, error, problems } = useFormCall(
    form,
    (values) => {
      const body = toSubmitBody(values);
      const header = { 'idempotency-key': keyFor(JSON.stringify(body)) };
      const path = { tenantId, environment };
      return unwrap(
        client.POST('/api/dashboard/organisations/{tenantId}/{environment}/submissions', {
          params: { path, header },
          body,
        }),
      );
    },
    (accepted) => onAccepted((accepted as Accepted).submissionBatchId),
  );
  const hasFieldErrors = Object.keys(form.errors).length > 0;
  const [{ lineItems }] = form.values.documents;
  return (
    <form onSubmit={onSubmit} noValidate aria-label="Invoice">
      <Stack>
        <ErrorAlert error={problems.length > 0 || !hasFieldErrors ? error : null} problems={problems} />
        {hasFieldErrors && (
          <Text component="output" size="sm" c="var(--mantine-color-error)">
            Nothing was sent. Correct the marked fields.
          </Text>
        )}
        <Tabs defaultValue="form" keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="form">Form</Tabs.Tab>
            <Tabs.Tab value="json">JSON</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="form">
            <Stack>
              <InvoiceHead form={form} />
              <Buyer form={form} />
              <Lines form={form} />
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="json">
            <Text size="sm" c="dimmed" mb="xs">
              The body that this form sends; your system sends the same to POST /api/v1/einvoice/submit.
            </Text>
            <Copyable value={JSON.stringify(toSubmitBody(form.values), null, 2)} what="the request" />
          </Tabs.Panel>
        </Tabs>
        <Group justify="space-between">
          <Text fw={600} style={{ fontVariantNumeric: 'tabular-nums' }}>
            To pay: MYR {amountText(payable(lineItems))}
          </Text>
          <Button type="submit" loading={pending}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The same body keeps its key, so that trying again after a lost answer never sends it twice. */
function useIdempotencyKey(): (body: string) => string {
  const last = useRef({ body: '', key: '' });
  return (body) => {
    if (last.current.body !== body) last.current = { body, key: randomKey() };
    return last.current.key;
  };
}

// randomUUID() does not exist on plain HTTP.
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function InvoiceHead({ form }: { form: Form }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextInput
        label="Invoice number"
        description="Yours; unique for your organisation."
        inputWrapperOrder={INPUT_FIRST}
        withAsterisk
        autoComplete="off"
        {...form.getInputProps('documents.0.referenceId')}
      />
      <TextInput
        label="Date"
        description="In Malaysia; today or earlier."
        inputWrapperOrder={INPUT_FIRST}
        type="date"
        withAsterisk
        {...form.getInputProps('documents.0.documentDate')}
      />
    </SimpleGrid>
  );
}

const ID_KINDS = [
  { value: 'brn', label: 'Company: BRN' },
  { value: 'nric', label: 'Person: NRIC' },
  { value: 'passport', label: 'Person: passport' },
  { value: 'army', label: 'Person: army number' },
];

function Buyer({ form }: { form: Form }) {
  const [{ recipient }] = form.values.documents;
  const field = (name: keyof typeof recipient) => form.getInputProps(`documents.0.recipient.${name}`);
  return (
    <Fieldset legend="Buyer">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput label="Buyer’s name" withAsterisk {...field('name')} />
        <TextInput label="Buyer’s TIN" withAsterisk {...field('tin')} />
        <Select label="Buyer’s kind of id" data={ID_KINDS} allowDeselect={false} withAsterisk {...field('idKind')} />
        <TextInput label="Buyer’s id number" withAsterisk key={recipient.idKind} {...field(recipient.idKind)} />
        <TextInput label="Buyer’s address" withAsterisk {...field('addressLine1')} />
        <TextInput label="Buyer’s city" withAsterisk {...field('city')} />
        <TextInput label="Buyer’s postcode" withAsterisk={recipient.country === 'MYS'} {...field('postcode')} />
        <CodeSelect
          label="Buyer’s state"
          list="states"
          by="slug"
          withAsterisk={recipient.country === 'MYS'}
          {...field('state')}
        />
        <CodeSelect label="Buyer’s country" list="countries" withAsterisk {...field('country')} />
        <TextInput
          label="Buyer’s phone"
          description="If empty, yours is sent."
          inputWrapperOrder={INPUT_FIRST}
          {...field('phone')}
        />
      </SimpleGrid>
    </Fieldset>
  );
}

function Lines({ form }: { form: Form }) {
  const [{ lineItems }] = form.values.documents;
  return (
    <Fieldset legend="Lines">
      <Stack>
        {lineItems.map((line, index) => (
          // Lines have no name but their place.
          // eslint-disable-next-line react/no-array-index-key
          <Line key={index} form={form} index={index} total={lineTotal(line)} isOnly={lineItems.length === 1} />
        ))}
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} />}
            onClick={() => form.insertListItem('documents.0.lineItems', { ...EMPTY_LINE })}
          >
            Add a line
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
}

interface LineProps {
  form: Form;
  index: number;
  total: number | null;
  isOnly: boolean;
}

function Line({ form, index, total, isOnly }: LineProps) {
  const field = (name: string) => form.getInputProps(`documents.0.lineItems.${index}.${name}`);
  const amount = { hideControls: true, thousandSeparator: ',', min: 0, styles: AMOUNT_STYLES };
  return (
    <Group
      gap="sm"
      align="flex-start"
      wrap="wrap"
      aria-label={`Line ${index + 1}`}
      component="fieldset"
      bd={0}
      m={0}
      p={0}
    >
      <TextInput label="Description" withAsterisk flex="1 1 220px" {...field('description')} />
      <NumberInput label="Quantity" withAsterisk w={90} {...amount} {...field('quantity')} />
      <NumberInput label="Unit price" withAsterisk w={120} {...amount} {...field('unitPrice')} />
      <NumberInput label="Discount" w={110} {...amount} {...field('discount')} />
      <NumberInput label="Tax" withAsterisk w={110} {...amount} {...field('taxAmount')} />
      <TextInput
        label="Line total"
        w={120}
        value={amountText(total)}
        readOnly
        variant="filled"
        styles={AMOUNT_STYLES}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        mt={26}
        size="lg"
        aria-label={`Remove line ${index + 1}`}
        disabled={isOnly}
        onClick={() => form.removeListItem('documents.0.lineItems', index)}
      >
        <IconTrash size={18} />
      </ActionIcon>
    </Group>
  );
}

const AMOUNT_STYLES = { input: { textAlign: 'right', fontVariantNumeric: 'tabular-nums' } } as const;
