import { Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { formatAgo } from './format';
import {
  formatDay,
  formatInstant,
  formatMalaysianDay,
  formatMalaysianSecond,
  formatMalaysianTime,
} from './malaysian-time';

interface InstantProps {
  at: string | null;
  /** Text shown for null. */
  never?: string;
  /** Shows seconds, for events that are close together. */
  hasSeconds?: boolean;
  /** Shows the time zone for use in a sentence. Lists omit it because the menu shows it. */
  hasZone?: boolean;
}

export function Instant({ at, never = '–', hasSeconds = false, hasZone = false }: InstantProps) {
  if (at === null) return never;
  return (
    <time dateTime={at} title={formatInstant(at)} style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
      {hasSeconds ? formatMalaysianSecond(at) : formatMalaysianTime(at)}
      {hasZone && (
        <Text span c="dimmed" size="xs">
          {' '}
          MYT
        </Text>
      )}
    </time>
  );
}

const DAY_SECONDS = 86_400;
const MINUTE_MS = 60_000;

/** Shows a time of the last day as a duration, such as `3 hours ago`, and an earlier time as a date. */
export function Ago({ at, never }: Pick<InstantProps, 'at' | 'never'>) {
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), MINUTE_MS, { autoInvoke: true });
  const passed = at === null ? NaN : now - Date.parse(at);
  // Tolerates a time that is slightly later than the last tick.
  const isRecent = passed > -MINUTE_MS && passed / 1_000 < DAY_SECONDS;
  if (at === null || !isRecent) return <Instant at={at} never={never} />;
  return (
    <time dateTime={at} title={formatInstant(at)} style={{ whiteSpace: 'nowrap' }}>
      {formatAgo(Math.max(0, passed / 1_000))}
    </time>
  );
}

/** Shows the date, with the time as a tooltip. */
export function Day({ at, never = '–' }: { at: string | null; never?: string }) {
  if (at === null) return never;
  return (
    <time dateTime={at} title={formatInstant(at)} style={{ whiteSpace: 'nowrap' }}>
      {formatDay(formatMalaysianDay(Date.parse(at)))}
    </time>
  );
}
