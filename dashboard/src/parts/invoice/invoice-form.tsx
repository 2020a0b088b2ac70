import {
  ActionIcon,
  Button,
  Fieldset,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { type ClipboardEvent, type KeyboardEvent, useState } from 'react';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';
import type { Environment } from '../../api/session';
import { DraftNotice, DraftState } from '../draft/draft-notice';
import { useDraft } from '../draft/use-draft';
import { ErrorAlert } from '../error-alert';
import { useFormCall } from '../form';
import { INPUT_FIRST } from '../input-order';
import { CodeSelect } from '../organisation/code-select';
import { TaxQuestion } from './tax-question';
import { amountText, toSubmitBody, EMPTY_LINE, type InvoiceValues, lineTotal, payable } from './values';

type Accepted = components['schemas']['SubmitAcceptedDto'];
type Form = UseFormReturnType<InvoiceValues>;

interface InvoiceFormProps {
  tenantId: string;
  environment: Environment;
  /** Which of the forms it is, for its draft. */
  name: string;
  initialValues: InvoiceValues;
  submitLabel: string;
  onAccepted: (submissionBatchId: string) => unknown;
}

/** One invoice, filled in by hand and sent as the API would. */
export function InvoiceForm({ tenantId, environment, name, initialValues, submitLabel, onAccepted }: InvoiceFormProps) {
  const form = useForm<InvoiceValues>({ mode: 'controlled', initialValues });
  // As it was when the form was opened: it has today's date.
  const [initial] = useState(initialValues);
  const draft = useDraft<InvoiceValues>({
    place: [tenantId, environment, name],
    values: form.values,
    initial,
    onRestore: form.setValues,
  });
  const { onSubmit, pending, error, problems } = useFormCall(
    form,
    (values) => {
      const body = toSubmitBody(values);
      const path = { tenantId, environment };
      return draft.send(JSON.stringify(body), (idempotencyKey) =>
        unwrap(
          client.POST('/api/dashboard/organisations/{tenantId}/{environment}/submissions', {
            params: { path, header: { 'idempotency-key': idempotencyKey } },
            body,
          }),
        ),
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
        <DraftNotice draft={draft} onSendAgain={onSubmit} />
        <Fieldset variant="unstyled" disabled={draft.doubt !== null}>
          <Stack>
            <InvoiceHead form={form} />
            <Buyer form={form} />
            <Lines form={form} />
          </Stack>
        </Fieldset>
        <DraftState draft={draft} />
        <Group justify="space-between">
          <Text fw={600} style={{ fontVariantNumeric: 'tabular-nums' }}>
            To pay: {amountText(payable(lineItems))}
          </Text>
          <Button type="submit" loading={pending} disabled={draft.isLocked}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
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
  const { rate, watch, answer } = useTaxRate(form, index);
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
      <NumberInput label="Tax (RM)" withAsterisk w={110} {...amount} {...field('taxAmount')} {...watch} />
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
      {rate !== null && <TaxQuestion rate={rate} total={total} onAnswer={answer} />}
    </Group>
  );
}

const PERCENT = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/;

/** Notices a rate that is typed or pasted where the amount of a tax belongs; the field stays empty until it is decided. */
function useTaxRate(form: Form, index: number) {
  const [rate, setRate] = useState<number | null>(null);
  const path = `documents.0.lineItems.${index}.taxAmount`;
  const ask = (value: number) => {
    form.setFieldValue(path, '');
    setRate(value);
  };
  const watch = {
    onKeyDown: (event: KeyboardEvent) => {
      const typed = form.values.documents[0].lineItems[index].taxAmount;
      if (event.key !== '%' || typed === '') return;
      event.preventDefault();
      ask(Number(typed));
    },
    onPaste: (event: ClipboardEvent) => {
      const [, pasted] = PERCENT.exec(event.clipboardData.getData('text')) ?? [];
      if (pasted === undefined) return;
      event.preventDefault();
      ask(Number(pasted));
    },
  };
  const answer = (taxAmount: number) => {
    form.setFieldValue(path, taxAmount);
    setRate(null);
  };
  return { rate, watch, answer };
}

const AMOUNT_STYLES = { input: { textAlign: 'right', fontVariantNumeric: 'tabular-nums' } } as const;
