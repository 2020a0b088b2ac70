import { Text } from '@mantine/core';
import { malaysianDay, malaysianTime } from './malaysian-time';

/** An instant on a clock in Malaysia, with its zone; `never` when there is none. */
export function Instant({ at, never = '–' }: { at: string | null; never?: string }) {
  if (at === null) return never;
  return (
    <time dateTime={at} title={at} style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
      {malaysianTime(at)}{' '}
      <Text span c="dimmed" size="xs">
        MYT
      </Text>
    </time>
  );
}

/** The day in Malaysia of an instant, where the hour matters little; it is in the title. */
export function Day({ at, never = '–' }: { at: string | null; never?: string }) {
  if (at === null) return never;
  return (
    <time dateTime={at} title={`${malaysianTime(at)} MYT`} style={{ whiteSpace: 'nowrap' }}>
      {malaysianDay(Date.parse(at))}
    </time>
  );
}
