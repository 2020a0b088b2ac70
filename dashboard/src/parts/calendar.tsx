import { DatePicker } from '@mantine/dates';
import '@mantine/dates/styles.css';
import { useEffect, useRef } from 'react';
import { formatMalaysianDay } from './malaysian-time';

interface CalendarProps {
  day: string;
  min: string | undefined;
  max: string | undefined;
  onPick: (day: string) => void;
}

/** Shows one month of days. The arrow keys move between the days. */
export function Calendar({ day, min, max, onPick }: CalendarProps) {
  const root = useRef<HTMLDivElement>(null);
  const start = day === '' ? clampDay(formatMalaysianDay(), min, max) : day;
  useEffect(() => root.current?.querySelector<HTMLElement>('[data-start]')?.focus(), []);
  return (
    <DatePicker
      ref={root}
      value={day === '' ? null : day}
      defaultDate={start}
      minDate={min}
      maxDate={max}
      allowDeselect
      onChange={(picked) => onPick(picked ?? day)}
      hideOutsideDates
      getDayProps={(date) => ({ 'aria-pressed': date === day, 'data-start': date === start || undefined })}
      ariaLabels={{
        previousMonth: 'Previous month',
        nextMonth: 'Next month',
        previousYear: 'Previous year',
        nextYear: 'Next year',
      }}
      // Escape closes the calendar instead of the dialog behind it.
      __stopPropagation
    />
  );
}

function clampDay(day: string, min = day, max = day): string {
  if (day < min) return min;
  return day > max ? max : day;
}
