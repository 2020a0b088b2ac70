import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useEventListener } from '@mantine/hooks';
import { useRef } from 'react';
import { isPlainAmount, isUnreadAmount, readRate, refuseAmount } from './plain-amount';

type AmountInputProps = Omit<NumberInputProps, 'onPaste' | 'onKeyDown' | 'ref'> & {
  /** Asks what is meant by a rate such as 8%; without it a rate is refused, but where the field has the sign itself. */
  onRate?: (rate: number) => void;
};

/**
 * A number as people here write it: 1,234.56. What can be read in two ways, as 12,5 can, is not guessed: the field says
 * so and is empty, and its value is the text, with which the form is not sent. Nor is a number out of range changed into
 * another one: the service refuses it by its field.
 */
export function AmountInput({ onRate, onBlur, error, onChange, value, ...props }: AmountInputProps) {
  // What was typed with a comma or a second dot, as it was typed: the input itself shows neither where it was typed.
  const typed = useRef<string | null>(null);
  const isUnread = isUnreadAmount(value);
  const isRate = props.suffix === '%';
  /** @returns whether what was typed is a number */
  const finishTyping = (): boolean => {
    const text = typed.current;
    typed.current = null;
    if (text === null || isPlainAmount(text)) return true;
    onChange?.(text);
    return false;
  };
  const refuseRate = (rate: number): void => {
    if (onRate === undefined) onChange?.(`${rate}%`);
    else onRate(rate);
  };
  /** @returns whether the field takes a whole text: pasted, dropped, dictated or suggested */
  const takesWhole = (text: string): boolean => {
    typed.current = null;
    const rate = readRate(text);
    if (rate !== null && !isRate) refuseRate(rate);
    else if (!isPlainAmount(text) && isUnreadAmount(text)) onChange?.(text);
    else return true;
    return false;
  };
  /** @returns whether the field takes a percent sign */
  const takesPercent = (): boolean => {
    if (!finishTyping()) return false;
    if (isRate || value === '' || isUnread) return true;
    refuseRate(Number(value));
    return false;
  };
  // Keyboards of phones name no keys: only what they insert is known.
  const ref = useEventListener<'beforeinput', HTMLInputElement>('beforeinput', (event) => {
    const text = event.data ?? '';
    const isWhole = text.length > 1 && event.cancelable;
    const isTaken = isWhole ? takesWhole(text.trim()) : text !== '%' || takesPercent();
    if (!isTaken) event.preventDefault();
    else if (!isWhole) typed.current = follow(typed.current, event);
  });
  return (
    <NumberInput
      {...props}
      ref={ref}
      hideControls
      thousandSeparator=","
      allowedDecimalSeparators={['.']}
      clampBehavior="none"
      value={isUnread ? '' : value}
      error={isUnread ? refuseAmount(String(value)) : error}
      onChange={onChange}
      onKeyDown={(event) => {
        // Enter sends the form without leaving the field.
        if (event.key === 'Enter' && !finishTyping()) event.preventDefault();
        // The input is empty already, and reports no change.
        if (isUnread && ['Backspace', 'Delete'].includes(event.key)) onChange?.('');
      }}
      onBlur={(event) => {
        finishTyping();
        onBlur?.(event);
      }}
      // The input's own handler takes dots and commas away before the browser says what it inserts.
      onPasteCapture={(event) => {
        if (takesWhole(event.clipboardData.getData('text').trim())) return;
        event.preventDefault();
        event.stopPropagation();
      }}
    />
  );
}

/** The text after an input; null while it has no comma and one dot at most, or once it was edited elsewhere than at its end. */
function follow(text: string | null, event: InputEvent): string | null {
  const { inputType, data, target } = event;
  // A composition, which replaces what it has inserted before.
  if (inputType === 'insertCompositionText') return keepUnclear(data ?? '');
  const { before, after, isAtEnd } = splitAtCaret(target as HTMLInputElement);
  if (data === ',' || data === '.') return keepUnclear(`${isAtEnd ? (text ?? before) : before}${data}${after}`);
  return text === null || !isAtEnd ? null : extend(text, event);
}

function extend(text: string, { inputType, data }: InputEvent): string | null {
  if (data !== null) return /^\d$/.test(data) ? text + data : text;
  return inputType === 'deleteContentBackward' ? keepUnclear(text.slice(0, -1)) : null;
}

function keepUnclear(text: string): string | null {
  return /,|\..*\./.test(text) ? text : null;
}

/** What stands before and after what the next input replaces, without the commas that the input has set. */
function splitAtCaret({ value, selectionStart, selectionEnd }: HTMLInputElement) {
  // A percent sign always stands behind the caret.
  const shown = value.replace(/%$/, '');
  const [start, end] = [selectionStart ?? shown.length, selectionEnd ?? shown.length];
  const [before, after] = [shown.slice(0, start), shown.slice(end)].map((part) => part.replaceAll(',', ''));
  return { before, after, isAtEnd: start === shown.length };
}
