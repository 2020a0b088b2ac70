import { Text } from '@mantine/core';
import { malaysianTime } from './malaysian-time';

/** An instant on a clock in Malaysia, with its zone; `never` when there is none. */
export function Instant({ at, never = '–' }: { at: string | null; never?: string }) {
  if (at === null)
    return (
      <Text span inherit>
        {never}
      </Text>
    );
  return (
    <time dateTime={at} title={at} style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
      {malaysianTime(at)}{' '}
      <Text span c="dimmed" size="xs">
        MYT
      </Text>
    </time>
  );
}
