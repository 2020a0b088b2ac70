import { Button, Fieldset, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { unwrap, client } from '../../api/client';
import type { Problem } from '../../api/errors';
import type { Scope } from '../../api/session';
import { AmountInput } from '../amount-input';
import { DraftNotice, DraftState } from '../draft/draft-notice';
import { useDraft } from '../draft/use-draft';
import { ErrorAlert } from '../error-alert';
import { readField, useFormCall, withButtonFocus } from '../form';
import { Notice } from '../notice';
import { useResultFocus } from '../use-result-focus';
import { BuyerFields } from './buyer-fields';
import { type FieldAction, focusField } from './field-actions';
import { type InvoiceForm as Form, sortInvoiceProblems, withField } from './field-problems';
import { warningsKey } from './followed-submission';
import { HeadFields } from './head-fields';
import { LineFields } from './line-fields';
import { findNextNumber, type NextNumbers, nextNumbersQuery } from './next-numbers';
import { rememberedQuery } from './remembered';
import { formatOptionalAmount, findInvalid, type InvoiceValues, payable, toSubmitBody } from './values';
import { type Warning, WarningNotice } from './warning-notice';

interface InvoiceFormProps extends Scope {
  name: string;
  initialValues: InvoiceValues;
  /** Describes the data that the initial values are based on, if it can change while a draft is kept. */
  draftBasis?: string;
  /** Problems of an earlier attempt. Each is marked until its field changes. */
  initialProblems?: readonly Problem[];
  /** Suggested numbers for a new document. Omitted for a resubmission, which keeps its number. */
  nextNumbers?: NextNumbers;
  replacedNumber?: string;
  submitLabel: string;
  onAccepted: (submissionBatchId: string) => unknown;
}

export function InvoiceForm(props: InvoiceFormProps) {
  const { tenantId, environment, submitLabel, replacedNumber, nextNumbers } = props;
  const { form, draft, onSubmit, pending, error, problems, warnings } = useInvoiceForm(props);
  const notice = useResultFocus<HTMLDivElement>(warnings);
  const { data: remembered = { buyers: [], items: [] } } = useQuery(rememberedQuery(tenantId, environment));
  const hasFieldErrors = error !== null && Object.keys(form.errors).length > 0;
  const { submission_type, documents } = form.values;
  return (
    <form
      onSubmit={withButtonFocus(onSubmit)}
      noValidate
      aria-label="Fill in the document"
      data-invoice
      tabIndex={-1}
      style={{ scrollMarginTop: 'calc(var(--app-shell-header-height, 0px) + 8px)' }}
    >
      <Stack>
        <ErrorAlert error={problems.length > 0 || !hasFieldErrors ? error : null} problems={problems} />
        {hasFieldErrors && (
          <Text component="output" size="sm" c="var(--mantine-color-error)">
            The document was not sent. Correct the marked fields.
          </Text>
        )}
        <DraftNotice draft={draft} onSendAgain={onSubmit} isSending={pending} />
        {/* The form is locked while the outcome of a request is unknown. */}
        <Fieldset variant="unstyled" disabled={pending || draft.doubt !== null}>
          <Stack>
            <HeadFields form={form} replacedNumber={replacedNumber} nextNumbers={nextNumbers} />
            {submission_type === 'consolidated' ? (
              <Notice kind="info" title="The buyer is the general public">
                Enter one line for each range of receipt numbers. A sale above RM 10,000 needs its own invoice.
              </Notice>
            ) : (
              <BuyerFields form={form} scope={{ tenantId, environment }} buyers={remembered.buyers} />
            )}
            <LineFields form={form} items={remembered.items} />
            <WholeDocument form={form} />
          </Stack>
        </Fieldset>
        <Fieldset variant="unstyled" disabled={pending}>
          <DraftState draft={draft} />
        </Fieldset>
        {warnings !== null && (
          <WarningNotice ref={notice} title="Check this before you send" warnings={warnings} onGoTo={focusField} />
        )}
        <Group justify="space-between">
          <Text fw={600} size="lg" style={{ fontVariantNumeric: 'tabular-nums' }}>
            To pay: {formatOptionalAmount(payable(documents[0]))}
          </Text>
          <Button type="submit" loading={pending} disabled={draft.isLocked}>
            {warnings === null ? submitLabel : `${submitLabel} anyway`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const FORM = { mode: 'controlled', validate: findInvalid, enhanceGetInputProps: withField } as const;

function useInvoiceForm({
  tenantId,
  environment,
  name,
  initialValues,
  draftBasis,
  initialProblems = [],
  nextNumbers,
  onAccepted,
}: InvoiceFormProps) {
  const queryClient = useQueryClient();
  // Keeps the first values because later ones may have another date.
  const [initial] = useState(initialValues);
  const form: Form = useForm<InvoiceValues>({ ...FORM, initialValues: initial });
  const nextNumber = useNextNumber(form, nextNumbersQuery(tenantId, environment));
  const sort = sortInvoiceProblems(form, form.values, nextNumbers && { same_number: nextNumber });
  const mark = (values: InvoiceValues) => form.setErrors(keepUnchanged(sort(initialProblems).errors, initial, values));
  const [isMarked, setMarked] = useState(initialProblems.length === 0);
  if (!isMarked) {
    setMarked(true);
    mark(initial);
  }
  const draft = useDraft<InvoiceValues>({
    scope: [tenantId, environment, name],
    values: form.values,
    initial,
    basis: draftBasis,
    onRestore: (values) => {
      form.setValues(values);
      mark(values);
    },
  });
  const [warned, setWarned] = useState<{ text: string; warnings: readonly Warning[] } | null>(null);
  const isWarned = warned !== null && warned.text === JSON.stringify(toSubmitBody(form.values));
  const call = useFormCall(
    form,
    async (values) => {
      const body = toSubmitBody(values);
      const text = JSON.stringify(body);
      const path = { tenantId, environment };
      // A repeated request was already checked.
      if (values.documents[0].documentType === 'credit_note' && draft.doubt === null && warned?.text !== text) {
        const { warnings } = await unwrap(
          client.POST('/api/dashboard/organisations/{tenantId}/{environment}/submissions/dry-run', {
            params: { path },
            body,
          }),
        );
        if (warnings.length > 0) {
          setWarned({ text, warnings });
          return null;
        }
      }
      return draft.send(text, (idempotencyKey) =>
        unwrap(
          client.POST('/api/dashboard/organisations/{tenantId}/{environment}/submissions', {
            params: { path, header: { 'idempotency-key': idempotencyKey } },
            body,
          }),
        ),
      );
    },
    (accepted) => {
      if (accepted === null) return undefined;
      const { submissionBatchId, warnings } = accepted;
      queryClient.setQueryData(warningsKey(submissionBatchId), warnings);
      return onAccepted(submissionBatchId);
    },
    sort,
  );
  return { form, draft, warnings: isWarned ? warned.warnings : null, ...call };
}

/** Replaces a number that is already in use. The rest of the form is unchanged. */
function useNextNumber(form: Form, query: ReturnType<typeof nextNumbersQuery>): FieldAction {
  const queryClient = useQueryClient();
  const take = async (field: string): Promise<void> => {
    const suggested = await queryClient.fetchQuery(query).catch(() => []);
    const number = findNextNumber(suggested, form.getValues().documents[0].documentType);
    if (number === '') form.setFieldError(field, 'No number can be suggested. Type one that is not used yet.');
    else form.setFieldValue(field, number);
  };
  return { label: 'Use the next free number', run: (_, field) => void take(field) };
}

/** Keeps the errors of fields that still have their initial value. */
function keepUnchanged(
  errors: Record<string, ReactNode>,
  before: InvoiceValues,
  now: InvoiceValues,
): Record<string, ReactNode> {
  const isUnchanged = ([field]: [string, ReactNode]): boolean => readField(before, field) === readField(now, field);
  return Object.fromEntries(Object.entries(errors).filter(isUnchanged));
}

function WholeDocument({ form }: { form: Form }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }}>
      <AmountInput label="Discount on the document" {...form.getInputProps('documents.0.totalDiscountAmount')} />
      <AmountInput label="Rounding" {...form.getInputProps('documents.0.totalRoundingAmount')} />
      <TextInput label="Payment terms" {...form.getInputProps('documents.0.paymentTerms')} />
    </SimpleGrid>
  );
}
