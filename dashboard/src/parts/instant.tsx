import { Text } from '@mantine/core';
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

/** How long ago it was, with the instant in the title; an instant that is not of the last day stands there itself. */
export function Ago({ at, never }: Pick<InstantProps, 'at' | 'never'>) {
  const seconds = at === null ? -1 : (Date.now() - Date.parse(at)) / 1_000;
  if (at === null || seconds < 0 || seconds >= DAY_SECONDS) return <Instant at={at} never={never} />;
  return (
    <time dateTime={at} title={formatInstant(at)} style={{ whiteSpace: 'nowrap' }}>
      {formatAgo(seconds)}
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
