import { Group, Text } from '@mantine/core';
import { IconBan, IconCircleCheck, IconCircleX, IconClock } from '@tabler/icons-react';
import { LookBadge } from './look-badge';

const LOOKS = {
  Requested: { color: 'blue', icon: IconClock, label: 'Waits for payment' },
  Paid: { color: 'green', icon: IconCircleCheck, label: 'Paid' },
  Refused: { color: 'red', icon: IconCircleX, label: 'Refused' },
  Cancelled: { color: 'gray', icon: IconBan, label: 'Cancelled' },
} as const;

/** What became of an order of credits, and why when it was refused. */
export function OrderStatus({ status, reason }: { status: keyof typeof LOOKS; reason: string | null }) {
  return (
    <Group gap="xs">
      <LookBadge look={LOOKS[status]} />
      {reason !== null && <Text size="sm">{reason}</Text>}
    </Group>
  );
}
