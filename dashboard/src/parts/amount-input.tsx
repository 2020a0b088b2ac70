import { NumberInput, type NumberInputProps } from '@mantine/core';
import { type ClipboardEvent, type FocusEvent, type KeyboardEvent, useRef } from 'react';
import { isPlainAmount, isUnreadAmount, refuseAmount } from './plain-amount';

type AmountInputProps = Omit<NumberInputProps, 'onPaste' | 'onKeyDown' | 'onFocus' | 'onBlur'> & {
  onPaste?: (event: ClipboardEvent<HTMLInputElement>) => void;
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void;
  onFocus?: (event: FocusEvent<HTMLInputElement>) => void;
  onBlur?: (event: FocusEvent<HTMLInputElement>) => void;
};

/**
 * A number as people here write it: 1,234.56. What can be read in two ways, as 12,5 can, is not guessed: the field says
 * so and is empty, and its value is the text, with which the form is not sent. Nor is a number out of range changed into
 * another one: the service refuses it by its field.
 */
export function AmountInput({
  onPaste,
  onKeyDown,
  onFocus,
  onBlur,
  error,
  onChange,
  value,
  ...props
}: AmountInputProps) {
  // What was typed with a comma, as it was typed: the input itself moves commas to where they belong.
  const typed = useRef<string | null>(null);
  const isUnread = isUnreadAmount(value);
  /** @returns whether what was typed is a number */
  const finishTyping = (): boolean => {
    const text = typed.current;
    typed.current = null;
    if (text === null || isPlainAmount(text)) return true;
    onChange?.(text);
    return false;
  };
  return (
    <NumberInput
      {...props}
      hideControls
      thousandSeparator=","
      allowedDecimalSeparators={['.']}
      clampBehavior="none"
      value={isUnread ? '' : value}
      error={isUnread ? refuseAmount(String(value)) : error}
      onChange={onChange}
      onFocus={(event) => {
        typed.current = null;
        onFocus?.(event);
      }}
      onKeyDown={(event) => {
        // Enter sends the form without leaving the field, and a percent sign asks what is meant by the number.
        if (['Enter', '%'].includes(event.key) && !finishTyping()) {
          event.preventDefault();
          return;
        }
        onKeyDown?.(event);
        // The input is empty already, and reports no change.
        if (isUnread && ['Backspace', 'Delete'].includes(event.key)) onChange?.('');
        typed.current = follow(typed.current, event);
      }}
      onBlur={(event) => {
        finishTyping();
        onBlur?.(event);
      }}
      // The input's own handler takes dots and commas away before it calls another one.
      onPasteCapture={(event) => {
        typed.current = null;
        onPaste?.(event);
        const text = event.clipboardData.getData('text').trim();
        const isRefused = !event.defaultPrevented && !isPlainAmount(text) && isUnreadAmount(text);
        if (isRefused) {
          event.preventDefault();
          onChange?.(text);
        }
        if (event.defaultPrevented) event.stopPropagation();
      }}
    />
  );
}

const EDITS = /^(?:[\d.,]|Backspace|Delete)$/;

/** The text after a key; null while no comma was typed, or once it was edited elsewhere than at its end. */
function follow(text: string | null, { key, currentTarget }: KeyboardEvent<HTMLInputElement>): string | null {
  if (!EDITS.test(key)) return text;
  const { before, after, isAtEnd } = splitAtCaret(currentTarget);
  if (key === ',') return `${isAtEnd ? (text ?? before) : before},${after}`;
  return text === null || !isAtEnd || key === 'Delete' ? null : extend(text, key);
}

function extend(text: string, key: string): string | null {
  if (key !== 'Backspace') return text + key;
  const rest = text.slice(0, -1);
  return rest.includes(',') ? rest : null;
}

/** What stands before and after what the next key replaces, without the commas that the input has set. */
function splitAtCaret({ value, selectionStart, selectionEnd }: HTMLInputElement) {
  // A percent sign always stands behind the caret.
  const shown = value.replace(/%$/, '');
  const [start, end] = [selectionStart ?? shown.length, selectionEnd ?? shown.length];
  const [before, after] = [shown.slice(0, start), shown.slice(end)].map((part) => part.replaceAll(',', ''));
  return { before, after, isAtEnd: start === shown.length };
}
