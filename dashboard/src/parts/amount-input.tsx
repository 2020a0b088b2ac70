import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import {
  groupDigits,
  isInvalidAmount,
  readAmount,
  readRate,
  describeInvalidAmount,
  ungroupDigits,
} from './plain-amount';

type Amount = number | string;

interface Reading {
  /** Percentage; the field shows the percent sign. */
  isRate?: boolean;
  /** Whole number. A text with a dot is not accepted because 1.000 may mean one thousand. */
  isWhole?: boolean;
}

interface AmountInputProps extends Reading, Omit<TextInputProps, 'value' | 'defaultValue' | 'onChange'> {
  value?: Amount;
  /** Receives the number, or the text if it is empty or not a clear number. */
  onChange?: (value: Amount) => void;
  /** Returns the error of a text that is not a number; null if the error is shown elsewhere. */
  validate?: (text: string) => string | null;
}

/** Text of the field while the form has this value. */
interface Shown {
  value: Amount;
  text: string;
  isEdited: boolean;
}

/**
 * Amount field in the local notation, such as 1,234.56. An ambiguous amount such as 12,5 is kept as text, is never sent, and shows an error when the field loses focus. While the field is edited, its text is not reformatted.
 */
export function AmountInput({
  value = '',
  onChange,
  error,
  isRate,
  isWhole,
  validate = describeInvalidAmount,
  onFocus,
  onBlur,
  ...props
}: AmountInputProps) {
  const [last, setShown] = useState<Shown | null>(null);
  // A value that is set from outside, such as a computed tax, replaces the typed text.
  const { text, isEdited } = last?.value === value ? last : { text: groupDigits(String(value)), isEdited: false };
  const isRefused = isInvalidAmount(value) && !isEdited;
  return (
    <TextInput
      inputMode="decimal"
      autoComplete="off"
      rightSection={isRate === true ? '%' : undefined}
      {...props}
      value={text}
      error={(isRefused ? validate(String(value)) : null) ?? error}
      onChange={({ currentTarget }) => {
        const next = read(currentTarget.value, { isRate, isWhole });
        setShown({ value: next, text: currentTarget.value, isEdited: true });
        onChange?.(next);
      }}
      onFocus={(event) => {
        // Thousands separators would get in the way of editing.
        flushSync(() => setShown({ value, text: ungroupDigits(text), isEdited: true }));
        // The new text has lost the selection by Tab. After a click, the browser sets the caret.
        if (!event.currentTarget.matches(':active')) event.currentTarget.select();
        onFocus?.(event);
      }}
      onBlur={(event) => {
        setShown({ value, text: finish(text, isRate), isEdited: false });
        onBlur?.(event);
      }}
    />
  );
}

/** Formats the text after editing. The percent sign of a rate is omitted because the field shows one. */
function finish(typed: string, isRate = false): string {
  const text = typed.normalize('NFKC').trim();
  const rate = isRate ? readRate(text) : null;
  return rate === null ? groupDigits(text) : String(rate);
}

function read(typed: string, { isRate = false, isWhole = false }: Reading): Amount {
  // Converts full-width characters to ASCII.
  const text = typed.normalize('NFKC').trim();
  if (isWhole && text.includes('.')) return text;
  return readAmount(text) ?? (isRate ? readRate(text) : null) ?? text;
}
