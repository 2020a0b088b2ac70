import { Fieldset, Select, SimpleGrid, TextInput } from '@mantine/core';
import { DayInput } from '../day-input';
import { DOCUMENT_TYPE_NAMES, DOCUMENT_TYPES } from '../format';
import { INPUT_FIRST } from '../input-order';
import type { InvoiceForm } from './field-problems';
import { findNextNumber, type NextNumbers } from './next-numbers';
import { hasParent } from './values';
import { Notice } from '../notice';

const KINDS = [
  { value: 'non-consolidated', label: 'One buyer' },
  { value: 'consolidated', label: 'General public: consolidated receipts' },
];

const TYPES = DOCUMENT_TYPES.map((value) => ({ value, label: DOCUMENT_TYPE_NAMES[value] }));

interface HeadFieldsProps {
  form: InvoiceForm;
  replacedNumber?: string;
  nextNumbers?: NextNumbers;
}

export function HeadFields({ form, replacedNumber, nextNumbers = [] }: HeadFieldsProps) {
  const [document] = form.values.documents;
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TypeSelect form={form} nextNumbers={nextNumbers} />
        <Select
          label="Sold to"
          data={KINDS}
          allowDeselect={false}
          withAsterisk
          {...form.getInputProps('submission_type')}
        />
        <TextInput
          label={`${DOCUMENT_TYPE_NAMES[document.documentType]} number`}
          description="Your own number, unique in your organisation."
          inputWrapperOrder={INPUT_FIRST}
          withAsterisk
          autoComplete="off"
          {...form.getInputProps('documents.0.referenceId')}
        />
        <DayInput
          label="Date"
          description="In Malaysia; today or earlier."
          inputWrapperOrder={INPUT_FIRST}
          withAsterisk
          {...form.getInputProps('documents.0.documentDate')}
        />
      </SimpleGrid>
      {replacedNumber !== undefined && document.referenceId.trim() !== replacedNumber && (
        <Notice kind="warning" title="This is now a different document">
          A new attempt keeps the number {replacedNumber}. With another number, a second document is sent, and{' '}
          {replacedNumber} still needs action until you dismiss it.
        </Notice>
      )}
      {hasParent(document) && (
        <Fieldset legend="Parent invoice">
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              label="Parent invoice’s number"
              withAsterisk
              autoComplete="off"
              {...form.getInputProps('documents.0.relatedInvoice.referenceId')}
            />
            <TextInput
              label="Parent invoice’s UUID at the authority"
              description="Only for an invoice that was not sent here. Enter NA for an invoice from before e-invoicing."
              inputWrapperOrder={INPUT_FIRST}
              autoComplete="off"
              {...form.getInputProps('documents.0.relatedInvoice.authorityUuid')}
            />
          </SimpleGrid>
        </Fieldset>
      )}
    </>
  );
}

/** A suggested number changes with the document type; a typed number is kept. */
function TypeSelect({ form, nextNumbers }: { form: InvoiceForm; nextNumbers: NextNumbers }) {
  const [document] = form.values.documents;
  const input = form.getInputProps('documents.0.documentType');
  const change = (documentType: string): void => {
    input.onChange(documentType);
    if (['', findNextNumber(nextNumbers, document.documentType)].includes(document.referenceId)) {
      form.setFieldValue('documents.0.referenceId', findNextNumber(nextNumbers, documentType));
    }
  };
  return (
    <Select
      label="Document"
      data={TYPES}
      allowDeselect={false}
      withAsterisk
      {...input}
      onChange={(documentType) => change(documentType ?? document.documentType)}
    />
  );
}
