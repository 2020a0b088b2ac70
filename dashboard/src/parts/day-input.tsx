import { TextInput, type TextInputProps } from '@mantine/core';
import { useLayoutEffect, useRef, useState } from 'react';
import { formatDay } from './malaysian-time';

// A year that is typed begins as one of antiquity: 0002, 0020, 0202.
const DAY = /^[2-9]\d{3}-\d\d-\d\d$/;

interface DayInputProps extends TextInputProps {
  description?: string;
}

/** A day to choose, described by the same day in words: some browsers write the 3rd of April 04/03. */
export function DayInput({ description = '', value, defaultValue = '', onChange, ...props }: DayInputProps) {
  const [typed, setTyped] = useState(defaultValue);
  const day = String(value ?? typed);
  const said = [DAY.test(day) ? formatDay(day) : '', description].filter((part) => part !== '').join('. ');
  return (
    <TextInput
      type="date"
      {...props}
      {...(value === undefined ? { defaultValue } : { value })}
      description={said}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        onChange?.(event);
      }}
    />
  );
}

interface DayFilterProps extends Omit<DayInputProps, 'value' | 'onChange'> {
  /** The day that the address asks for. */
  day: string | undefined;
  /** Whether the address asks for anything: where it does not any more, nothing of a day is left. */
  isFiltered: boolean;
  onDay: (day: string | undefined) => void;
}

/**
 * A day that a list is filtered by. The field holds what is typed; only a whole date is asked for, and what is not one
 * changes nothing. It follows an address that has changed otherwise.
 */
export function DayFilter({ day, isFiltered, onDay, ...props }: DayFilterProps) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(day ?? '');
  const [isWrong, setWrong] = useState(false);
  useFollowing(day, isFiltered, () => {
    setText(day ?? '');
    setWrong(false);
    // A date of which a part is missing has no value that could be another one.
    if (day === undefined && input.current?.validity.badInput) input.current.value = '';
  });
  const ask = ({ value, validity }: HTMLInputElement): boolean => {
    const isEmpty = value === '' && !validity.badInput;
    if (!isEmpty && !DAY.test(value)) return false;
    const asked = isEmpty ? undefined : value;
    if (asked !== day) onDay(asked);
    return true;
  };
  return (
    <DayInput
      ref={input}
      {...props}
      value={text}
      error={
        isWrong &&
        `Not a whole date from 2000 on; ${day === undefined ? 'it' : formatDay(day)} is ${day === undefined ? 'not' : 'still'} used.`
      }
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        setWrong(false);
        ask(currentTarget);
      }}
      // The browser says nothing when the last part of an incomplete date is taken away.
      onBlur={({ currentTarget }) => setWrong(!ask(currentTarget))}
    />
  );
}

/** Calls when the address asks for something else than before, and when it asks for nothing any more. */
export function useFollowing(value: string | undefined, isFiltered: boolean, follow: () => void): void {
  const last = useRef({ value, isFiltered });
  useLayoutEffect(() => {
    const before = last.current;
    last.current = { value, isFiltered };
    if (value !== before.value || (before.isFiltered && !isFiltered)) follow();
  });
}
