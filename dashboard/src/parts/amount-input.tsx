import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { groupDigits, isUnreadAmount, readAmount, readRate, refuseAmount, ungroupDigits } from './plain-amount';

type Amount = number | string;

interface Reading {
  /** Percent: the field has the sign itself. */
  isRate?: boolean;
  /** Whole numbers only: what has a dot is kept as its text, since 1.000 may be a thousand. */
  isWhole?: boolean;
}

interface AmountInputProps extends Reading, Omit<TextInputProps, 'value' | 'defaultValue' | 'onChange'> {
  value?: Amount;
  /** Hears of a number; of the text, when it is no number that can be read in one way; of `''` when it is empty. */
  onChange?: (value: Amount) => void;
  /** What is said of a text that is no number; null where something else says it. */
  refuse?: (text: string) => string | null;
}

/** What the field shows of a value, as long as that value is the form's. */
interface Shown {
  value: Amount;
  text: string;
  isEdited: boolean;
}

/**
 * A number as people here write it: 1,234.56. What can be read in two ways, as 12,5 can, is not guessed: its value is
 * the text from the first key on, with which no form is sent, and the field says so when it is left. While it is edited
 * it holds what is typed and nothing else, however that comes into it: no sign is dropped, none is moved.
 */
export function AmountInput({
  value = '',
  onChange,
  error,
  isRate,
  isWhole,
  refuse = refuseAmount,
  onFocus,
  onBlur,
  ...props
}: AmountInputProps) {
  const [last, setShown] = useState<Shown | null>(null);
  // A value that comes from elsewhere, as a computed tax does, is shown instead of what was typed.
  const { text, isEdited } = last?.value === value ? last : { text: groupDigits(String(value)), isEdited: false };
  const isRefused = isUnreadAmount(value) && !isEdited;
  return (
    <TextInput
      inputMode="decimal"
      autoComplete="off"
      rightSection={isRate === true ? '%' : undefined}
      {...props}
      value={text}
      error={(isRefused ? refuse(String(value)) : null) ?? error}
      onChange={({ currentTarget }) => {
        const next = read(currentTarget.value, { isRate, isWhole });
        setShown({ value: next, text: currentTarget.value, isEdited: true });
        onChange?.(next);
      }}
      onFocus={(event) => {
        // Commas would stand in the way of what is typed next.
        flushSync(() => setShown({ value, text: ungroupDigits(text), isEdited: true }));
        // The other text has lost the selection that Tab made; a click sets the caret now.
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

/** As it is shown once the field is left: a rate without the sign that the field has itself. */
function finish(typed: string, isRate = false): string {
  const text = typed.normalize('NFKC').trim();
  const rate = isRate ? readRate(text) : null;
  return rate === null ? groupDigits(text) : String(rate);
}

function read(typed: string, { isRate = false, isWhole = false }: Reading): Amount {
  // A full-width sign is the sign.
  const text = typed.normalize('NFKC').trim();
  if (isWhole && text.includes('.')) return text;
  return readAmount(text) ?? (isRate ? readRate(text) : null) ?? text;
}
