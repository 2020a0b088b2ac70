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
  /** What stands there when there is none. */
  never?: string;
  /** To the second, for steps that follow each other closely. */
  hasSeconds?: boolean;
  /** With the zone, in a sentence; lists and facts go without: the menu says it for all of them. */
  hasZone?: boolean;
}

/** An instant on a clock in Malaysia. */
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

/** How long ago it was, with the instant in the title; an instant that is not of the last day stands there itself. */
export function Ago({ at, never }: Pick<InstantProps, 'at' | 'never'>) {
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), MINUTE_MS, { autoInvoke: true });
  const passed = at === null ? NaN : now - Date.parse(at);
  // What the list asked for since the last tick is a little later than that.
  const isRecent = passed > -MINUTE_MS && passed / 1_000 < DAY_SECONDS;
  if (at === null || !isRecent) return <Instant at={at} never={never} />;
  return (
    <time dateTime={at} title={formatInstant(at)} style={{ whiteSpace: 'nowrap' }}>
      {formatAgo(Math.max(0, passed / 1_000))}
    </time>
  );
}

/** The day in Malaysia of an instant, where the hour matters little; it is in the title. */
export function Day({ at, never = '–' }: { at: string | null; never?: string }) {
  if (at === null) return never;
  return (
    <time dateTime={at} title={formatInstant(at)} style={{ whiteSpace: 'nowrap' }}>
      {formatDay(formatMalaysianDay(Date.parse(at)))}
    </time>
  );
}
