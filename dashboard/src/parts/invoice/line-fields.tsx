import { ActionIcon, Button, Fieldset, Group, Pagination, Select, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { AmountInput } from '../amount-input';
import { CodeSelect } from '../organisation/code-select';
import { readRate, describeInvalidAmount } from '../plain-amount';
import { findInput } from './field-actions';
import type { InvoiceForm } from './field-problems';
import { type Remembered, toLine } from './remembered';
import { computePercent } from './tax-percent';
import { TaxQuestion } from './tax-question';
import {
  formatOptionalAmount,
  computeLineTotal,
  computeTax,
  EMPTY_LINE,
  EXEMPT,
  lineTotal,
  type LineValues,
  toTaxedLine,
} from './values';
import { NothingFound } from '../nothing-found';

const PATH = 'documents.0.lineItems';

const AMOUNT = {
  styles: { input: { textAlign: 'right', fontVariantNumeric: 'tabular-nums' } },
} as const;

/** Limit for fast typing. A document may have a thousand lines. */
const LINES_SHOWN = 10;

export function LineFields({ form, items }: { form: InvoiceForm; items: Remembered['items'] }) {
  const [{ lineItems }] = form.values.documents;
  const [page, setPage] = usePage(form);
  const first = (page - 1) * LINES_SHOWN;
  const addButton = useRef<HTMLButtonElement>(null);
  const remove = (index: number) => {
    // The next line moves up to this position and reuses its inputs.
    const next = index + 1 < lineItems.length ? findInput(`${PATH}.${index}.description`) : null;
    (next ?? addButton.current)?.focus({ preventScroll: true });
    form.removeListItem(PATH, index);
  };
  const add = (line: LineValues) => {
    form.insertListItem(PATH, line);
    setPage(Math.ceil((lineItems.length + 1) / LINES_SHOWN));
  };
  return (
    <Fieldset legend={lineItems.length > LINES_SHOWN ? `${lineItems.length} lines` : 'Lines'}>
      <Stack>
        {lineItems.slice(first, first + LINES_SHOWN).map((line, position) => {
          const index = first + position;
          return <Line key={index} {...{ form, index, line, remove }} isOnly={lineItems.length === 1} />;
        })}
        {lineItems.length > LINES_SHOWN && (
          <Pagination
            value={page}
            onChange={setPage}
            total={Math.ceil(lineItems.length / LINES_SHOWN)}
            getItemProps={(number) => ({ 'aria-label': `Page ${number} of the lines` })}
            getControlProps={(control) => ({ 'aria-label': `${control} page of the lines` })}
          />
        )}
        <Group align="flex-end">
          <Button
            ref={addButton}
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} />}
            onClick={() => add({ ...EMPTY_LINE })}
          >
            Add a line
          </Button>
          {items.length > 0 && (
            <Select
              label="Earlier item"
              placeholder="Add a line of an earlier invoice"
              size="xs"
              w={320}
              searchable
              nothingFoundMessage={<NothingFound text="No earlier item of that name" />}
              data={items.map(({ description }, index) => ({ value: String(index), label: description }))}
              value={null}
              onChange={(index) => index !== null && add(toLine(items[Number(index)]))}
            />
          )}
        </Group>
      </Stack>
    </Fieldset>
  );
}

/** Shows the page with the first invalid line. */
function usePage(form: InvoiceForm): [number, (page: number) => void] {
  const [{ lineItems }] = form.values.documents;
  const wrong = Object.keys(form.errors)
    .map((field) => /lineItems\.(\d+)/.exec(field)?.[1])
    .filter((index) => index !== undefined)
    .map((index) => Math.floor(Number(index) / LINES_SHOWN) + 1);
  const pages = Math.max(1, Math.ceil(lineItems.length / LINES_SHOWN));
  const wanted = wrong.length === 0 ? null : Math.min(...wrong);
  const [chosen, setPage] = useState(wanted ?? 1);
  const [followed, setFollowed] = useState(wanted);
  if (followed !== wanted) {
    setFollowed(wanted);
    if (wanted !== null) setPage(wanted);
  }
  return [Math.min(chosen, pages), setPage];
}

interface LineProps {
  form: InvoiceForm;
  index: number;
  line: LineValues;
  isOnly: boolean;
  remove: (index: number) => void;
}

/** Fixed width in a large window; in a smaller one, the fields of a row share its width. */
function width(pixels: number) {
  return { flex: `1 1 ${pixels}px`, maw: { lg: pixels } } as const;
}

function Line({ form, index, line, isOnly, remove }: LineProps) {
  const field = (name: keyof LineValues) => form.getInputProps(`${PATH}.${index}.${name}`);
  const computed = computeLineTotal(line);
  return (
    <Stack gap="xs" aria-label={`Line ${index + 1}`} component="fieldset" bd={0} m={0} p={0}>
      <Group gap="sm" align="flex-start">
        <TextInput label="Description" withAsterisk flex="1 1 200px" {...field('description')} />
        <AmountInput label="Quantity" withAsterisk {...width(90)} {...AMOUNT} {...field('quantity')} />
        <CodeSelect label="Unit" list="units" {...width(150)} clearable placeholder="One" {...field('unitCode')} />
        <AmountInput label="Unit price" withAsterisk {...width(120)} {...AMOUNT} {...field('unitPrice')} />
        <AmountInput label="Discount" {...width(110)} {...AMOUNT} {...field('discount')} />
        <AmountInput
          label="Line total"
          {...width(130)}
          {...AMOUNT}
          placeholder={formatOptionalAmount(computed)}
          {...field('lineTotal')}
        />
        <ActionIcon
          variant="subtle"
          color="gray"
          mt={26}
          size="lg"
          aria-label={`Remove line ${index + 1}`}
          disabled={isOnly}
          onClick={() => remove(index)}
        >
          <IconTrash size={18} />
        </ActionIcon>
      </Group>
      <TaxFields form={form} index={index} line={line} />
    </Stack>
  );
}

function TaxFields({ form, index, line }: Omit<LineProps, 'isOnly' | 'remove'>) {
  const field = (name: keyof LineValues) => form.getInputProps(`${PATH}.${index}.${name}`);
  const tax = useTax(form, index, line);
  const isExempt = line.taxType === EXEMPT || line.taxExemptionReason !== '';
  return (
    <>
      <Group gap="sm" align="flex-start">
        <CodeSelect
          label="Classification"
          list="classifications"
          flex="1 1 220px"
          clearable
          placeholder="022, or your default"
          {...field('classification')}
        />
        <CodeSelect
          label="Tax type"
          list="tax-types"
          flex="1 1 160px"
          clearable
          placeholder="None, or your default"
          {...field('taxType')}
        />
        <AmountInput label="Tax rate" isRate {...width(90)} {...AMOUNT} {...tax.rateInput} />
        <AmountInput
          label="Tax (RM)"
          description={tax.percent}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          validate={validateTax}
          {...width(110)}
          {...AMOUNT}
          {...tax.amountInput}
        />
        <AmountInput label="Tax per unit" {...width(110)} {...AMOUNT} {...field('taxPerUnit')} />
        <AmountInput
          label="Taxed units"
          {...width(110)}
          {...AMOUNT}
          placeholder={String(line.quantity)}
          {...field('taxUnitCount')}
        />
      </Group>
      {isExempt && (
        <TextInput
          label="Reason for the exemption"
          withAsterisk={line.taxType === EXEMPT}
          {...field('taxExemptionReason')}
        />
      )}
      {tax.question !== null && <TaxQuestion rate={tax.question} total={tax.total} onAnswer={tax.answer} />}
    </>
  );
}

/** Describes the tax percentage that the document will state. Returns null if there is none or it is unknown. */
function describePercent(line: LineValues, lines: readonly LineValues[]): string | null {
  const own = toTaxedLine(line);
  const percent =
    own === null
      ? null
      : computePercent(
          own,
          lines.map(toTaxedLine).filter((each) => each !== null),
        );
  return percent === null ? null : `${percent.toLocaleString('en-MY')}% of the line`;
}

/** Reports no error for a rate because the question below offers its meanings. */
function validateTax(text: string): string | null {
  return readRate(text) === null ? describeInvalidAmount(text) : null;
}

/**
 * Tax of a line. A rate recalculates the tax until an amount is typed. A rate in the amount field raises a question,
 * and the form cannot be sent before it is answered.
 */
function useTax(form: InvoiceForm, index: number, line: LineValues) {
  const total = lineTotal(line);
  const [ratePath, amountPath] = [`${PATH}.${index}.taxRate`, `${PATH}.${index}.taxAmount`];
  const { taxRate, taxAmount } = line;
  const set = (amount: number | string, rate: number | string) => {
    form.setFieldValue(ratePath, rate);
    form.setFieldValue(amountPath, amount);
  };
  useEffect(() => {
    if (typeof taxRate === 'number' && total !== null) form.setFieldValue(amountPath, computeTax(total, taxRate));
    // Runs only for another rate or total, so that a typed amount is kept.
    // eslint-disable-next-line react/exhaustive-deps
  }, [taxRate, total]);
  return {
    total,
    // Shows whether a typed amount still fits after the line has changed.
    percent: describePercent(line, form.values.documents[0].lineItems),
    question: readRate(String(taxAmount)),
    answer: (amount: number, rate: number | null) => set(amount, rate ?? ''),
    rateInput: {
      ...form.getInputProps(ratePath),
      // An empty or invalid rate also empties the tax. A new rate recalculates it.
      onChange: (rate: number | string) => set(typeof rate === 'number' ? taxAmount : '', rate),
    },
    amountInput: {
      ...form.getInputProps(amountPath),
      onChange: (amount: number | string) => set(amount, ''),
    },
  };
}
