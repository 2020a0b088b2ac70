import { NumberInput, type NumberInputProps } from '@mantine/core';
import { type ClipboardEvent, type FocusEvent, type KeyboardEvent, useRef, useState } from 'react';
import { isPlainAmount } from './plain-amount';

type AmountInputProps = Omit<NumberInputProps, 'onPaste' | 'onKeyDown' | 'onFocus' | 'onBlur'> & {
  onPaste?: (event: ClipboardEvent<HTMLInputElement>) => void;
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void;
  onFocus?: (event: FocusEvent<HTMLInputElement>) => void;
  onBlur?: (event: FocusEvent<HTMLInputElement>) => void;
};

/**
 * A number as people here write it: 1,234.56. What can be read in two ways, as 12,5 can, is not guessed: the field says
 * so and is empty. Nor is a number out of range changed into another one: the service refuses it by its field.
 */
export function AmountInput({ onPaste, onKeyDown, onFocus, onBlur, error, onChange, ...props }: AmountInputProps) {
  const [unread, setUnread] = useState<string | null>(null);
  // What was typed with a comma, as it was typed: the input itself moves commas to where they belong.
  const typed = useRef<string | null>(null);
  const refuse = (text: string): void => {
    onChange?.('');
    setUnread(text);
  };
  return (
    <NumberInput
      {...props}
      hideControls
      thousandSeparator=","
      allowedDecimalSeparators={['.']}
      clampBehavior="none"
      error={unread === null ? error : `“${unread}” can be read in two ways. Write it as 1,234.56.`}
      onChange={(value) => {
        if (value !== '') setUnread(null);
        onChange?.(value);
      }}
      onFocus={(event) => {
        typed.current = null;
        onFocus?.(event);
      }}
      onKeyDown={(event) => {
        onKeyDown?.(event);
        typed.current = follow(typed.current, event);
      }}
      onBlur={(event) => {
        if (typed.current !== null && !isPlainAmount(typed.current)) refuse(typed.current);
        typed.current = null;
        onBlur?.(event);
      }}
      onPaste={(event) => {
        onPaste?.(event);
        const text = event.clipboardData.getData('text').trim();
        if (event.defaultPrevented || isPlainAmount(text)) return;
        event.preventDefault();
        refuse(text);
      }}
    />
  );
}

/** The text after a key; null while no comma was typed, or once it was edited elsewhere than at its end. */
function follow(text: string | null, { key, currentTarget }: KeyboardEvent<HTMLInputElement>): string | null {
  const { value, selectionStart, selectionEnd } = currentTarget;
  const isAtEnd = selectionStart === value.length && selectionEnd === value.length;
  if (!isAtEnd || key === 'Delete') return null;
  if (key === ',') return `${text ?? value.replaceAll(',', '')},`;
  if (text === null) return null;
  if (key === 'Backspace') return text.slice(0, -1).includes(',') ? text.slice(0, -1) : null;
  return /^[\d.]$/.test(key) ? text + key : text;
}
