import { Button, Fieldset, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { unwrap, client } from '../../api/client';
import type { Problem } from '../../api/errors';
import type { components } from '../../api/schema';
import type { Environment } from '../../api/session';
import { AmountInput } from '../amount-input';
import { DraftNotice, DraftState } from '../draft/draft-notice';
import { useDraft } from '../draft/use-draft';
import { ErrorAlert } from '../error-alert';
import { readField, useFormCall } from '../form';
import { Notice } from '../notice';
import { BuyerFields } from './buyer-fields';
import { type InvoiceForm as Form, sortInvoiceProblems } from './field-problems';
import { warningsKey } from './followed-submission';
import { HeadFields } from './head-fields';
import { LineFields } from './line-fields';
import { rememberedQuery } from './remembered';
import { amountText, type InvoiceValues, payable, toSubmitBody } from './values';

type Accepted = components['schemas']['SubmitAcceptedDto'];

interface InvoiceFormProps {
  tenantId: string;
  environment: Environment;
  /** Which of the forms it is, for its draft. */
  name: string;
  initialValues: InvoiceValues;
  /** What an earlier attempt failed by: marked at its fields until they are changed. */
  initialProblems?: readonly Problem[];
  submitLabel: string;
  onAccepted: (submissionBatchId: string) => unknown;
}

/** One document, filled in by hand and sent as the API would. */
export function InvoiceForm(props: InvoiceFormProps) {
  const { tenantId, environment, submitLabel } = props;
  const { form, draft, onSubmit, pending, error, problems } = useInvoiceForm(props);
  const { data: remembered = { buyers: [], items: [] } } = useQuery(rememberedQuery(tenantId, environment));
  const hasFieldErrors = error !== null && Object.keys(form.errors).length > 0;
  const { submission_type, documents } = form.values;
  return (
    <form onSubmit={onSubmit} noValidate aria-label="Fill in the document">
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
            <HeadFields form={form} />
            {submission_type === 'consolidated' ? (
              <Notice kind="info" title="The buyer is the general public">
                Sum up receipts, one line for each run of their numbers. A sale above RM 10,000 needs its own invoice.
              </Notice>
            ) : (
              <BuyerFields form={form} place={{ tenantId, environment }} buyers={remembered.buyers} />
            )}
            <LineFields form={form} items={remembered.items} />
            <WholeDocument form={form} />
          </Stack>
        </Fieldset>
        <DraftState draft={draft} />
        <Group justify="space-between">
          <Text fw={600} size="lg" style={{ fontVariantNumeric: 'tabular-nums' }}>
            To pay: {amountText(payable(documents[0]))}
          </Text>
          <Button type="submit" loading={pending} disabled={draft.isLocked}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The values, what is marked, the draft, and the call that sends it. */
function useInvoiceForm({
  tenantId,
  environment,
  name,
  initialValues,
  initialProblems = [],
  onAccepted,
}: InvoiceFormProps) {
  const queryClient = useQueryClient();
  // As it was when the form was opened: it has today's date.
  const [initial] = useState(initialValues);
  const form: Form = useForm<InvoiceValues>({ mode: 'controlled', initialValues: initial });
  const sort = sortInvoiceProblems(form, form.values);
  const mark = (values: InvoiceValues) => form.setErrors(keepUnchanged(sort(initialProblems).errors, initial, values));
  const [isMarked, setMarked] = useState(initialProblems.length === 0);
  if (!isMarked) {
    setMarked(true);
    mark(initial);
  }
  const draft = useDraft<InvoiceValues>({
    place: [tenantId, environment, name],
    values: form.values,
    initial,
    onRestore: (values) => {
      form.setValues(values);
      mark(values);
    },
  });
  const call = useFormCall(
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
    (accepted) => {
      const { submissionBatchId, warnings } = accepted as Accepted;
      queryClient.setQueryData(warningsKey(submissionBatchId), warnings);
      return onAccepted(submissionBatchId);
    },
    sort,
  );
  return { form, draft, ...call };
}

/** The errors of fields that hold what they held at first: what a draft has corrected is not marked any more. */
function keepUnchanged(
  errors: Record<string, ReactNode>,
  before: InvoiceValues,
  now: InvoiceValues,
): Record<string, ReactNode> {
  const isUnchanged = ([field]: [string, ReactNode]): boolean => readField(before, field) === readField(now, field);
  return Object.fromEntries(Object.entries(errors).filter(isUnchanged));
}

/** What is said of the document as a whole. */
function WholeDocument({ form }: { form: Form }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }}>
      <AmountInput label="Discount on the document" {...form.getInputProps('documents.0.totalDiscountAmount')} />
      <AmountInput label="Rounding" {...form.getInputProps('documents.0.totalRoundingAmount')} />
      <TextInput label="Payment terms" {...form.getInputProps('documents.0.paymentTerms')} />
    </SimpleGrid>
  );
}
