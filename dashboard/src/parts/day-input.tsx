import { ActionIcon, Box, Paper, Popover, Text, TextInput, type TextInputProps } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { formatDay } from './malaysian-time';
import { isInvalidDay, readDay, validateDay } from './plain-day';

interface DayInputProps extends Omit<TextInputProps, 'label' | 'value' | 'defaultValue' | 'onChange' | 'min' | 'max'> {
  label: string;
  /** Date as `YYYY-MM-DD`, empty, or text that is not a date. */
  value?: string;
  onChange?: (value: string) => void;
  /** Receives the value when Enter is pressed, the field loses focus, or a day is picked. */
  onEnter?: (value: string) => void;
  /** Returns the error of a text that is not a date. */
  validate?: (text: string) => string | null;
  min?: string;
  max?: string;
}

interface Shown {
  value: string;
  text: string;
  isEdited: boolean;
}

/**
 * Date field that shows `22 Nov 2026`. If another notation is typed, a note shows the recognised date. Text that is not
 * a date becomes the value, which no form sends, and gets an error when the field loses focus.
 */
export function DayInput({
  label,
  value = '',
  onChange,
  onEnter,
  error,
  validate = validateDay,
  min,
  max,
  onBlur,
  onKeyDown,
  ...props
}: DayInputProps) {
  const [last, setShown] = useState<Shown | null>(null);
  const { text, isEdited } = last?.value === value ? last : { text: formatDay(value), isEdited: false };
  const show = (next: string) => setShown({ value: next, text: formatDay(next), isEdited: false });
  const enter = (typed: string) => {
    const entered = readText(typed);
    show(entered);
    onEnter?.(entered);
  };
  const reading = isEdited && !isInvalidDay(value) && text.trim() !== formatDay(value) ? formatDay(value) : '';
  return (
    <TextInput
      label={label}
      placeholder="d mmm yyyy"
      autoComplete="off"
      {...props}
      value={text}
      error={(isEdited ? null : validate(value)) ?? error}
      inputContainer={(input) => addReading(input, reading)}
      rightSection={
        <CalendarButton
          label={label}
          day={value}
          min={min}
          max={max}
          onPick={(day) => {
            show(day);
            onChange?.(day);
            onEnter?.(day);
          }}
        />
      }
      onChange={({ currentTarget }) => {
        const next = readText(currentTarget.value);
        setShown({ value: next, text: currentTarget.value, isEdited: true });
        onChange?.(next);
      }}
      onKeyDown={(event) => {
        onKeyDown?.(event);
        if (event.key === 'Enter') enter(event.currentTarget.value);
      }}
      onBlur={(event) => {
        // The last typed character may not have been rendered yet.
        enter(event.currentTarget.value);
        onBlur?.(event);
      }}
    />
  );
}

function readText(typed: string): string {
  return readDay(typed) ?? typed.trim();
}

/** The note covers the content below. If it took up space, a button would move away while it is clicked. */
function addReading(input: ReactNode, reading: string): ReactNode {
  return (
    <Box pos="relative">
      {input}
      <output>
        {reading !== '' && (
          <Paper withBorder shadow="sm" px="xs" pos="absolute" top="100%" left={0} style={{ zIndex: 2 }}>
            <Text span size="sm">
              {reading}
            </Text>
          </Paper>
        )}
      </output>
    </Box>
  );
}

interface CalendarButtonProps {
  label: string;
  day: string;
  min: string | undefined;
  max: string | undefined;
  onPick: (day: string) => void;
}

function CalendarButton({ label, day, min, max, onPick }: CalendarButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  // The calendar is loaded on demand because most visitors do not use it.
  const { data, isPending, isError } = useQuery({
    queryKey: ['calendar'],
    queryFn: () => import('./calendar'),
    enabled: isOpen,
    staleTime: Infinity,
  });
  return (
    <Popover opened={isOpen && !isPending} onChange={setOpen} position="bottom-end" trapFocus shadow="md">
      <Popover.Target>
        <ActionIcon
          ref={button}
          variant="subtle"
          color="gray"
          aria-label={`${label}: choose from a calendar`}
          onClick={() => setOpen(!isOpen)}
        >
          <IconCalendar size={16} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p="xs">
        {data !== undefined && (
          <data.Calendar
            day={isInvalidDay(day) ? '' : day}
            min={min}
            max={max}
            onPick={(picked) => {
              button.current?.focus();
              setOpen(false);
              onPick(picked);
            }}
          />
        )}
        {isError && <Text size="sm">The calendar could not be loaded. Type the date.</Text>}
      </Popover.Dropdown>
    </Popover>
  );
}

interface DayFilterProps extends Omit<DayInputProps, 'value' | 'onChange' | 'onEnter' | 'validate'> {
  day: string | undefined;
  /** Whether the URL has any filter. The field is cleared when the last filter is removed. */
  isFiltered: boolean;
  onDay: (day: string | undefined) => void;
}

/** Date field that filters a list. Invalid text leaves the filter unchanged. */
export function DayFilter({ day, isFiltered, onDay, ...props }: DayFilterProps) {
  const [typed, setTyped] = useState(day ?? '');
  useFollowing(day, isFiltered, () => setTyped(day ?? ''));
  const current =
    day === undefined ? 'The list is not filtered by this date.' : `The list is still filtered by ${formatDay(day)}.`;
  return (
    <DayInput
      {...props}
      value={typed}
      validate={(text) => (isInvalidDay(text) ? `${validateDay(text)} ${current}` : null)}
      onChange={setTyped}
      onEnter={(value) => {
        if (!isInvalidDay(value) && value !== (day ?? '')) onDay(value === '' ? undefined : value);
      }}
    />
  );
}

/** Calls back when the value in the URL changes or the last filter is removed. */
export function useFollowing(value: string | undefined, isFiltered: boolean, follow: () => void): void {
  const last = useRef({ value, isFiltered });
  useLayoutEffect(() => {
    const before = last.current;
    last.current = { value, isFiltered };
    if (value !== before.value || (before.isFiltered && !isFiltered)) follow();
  });
}
