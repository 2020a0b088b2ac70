import { Group, Text } from '@mantine/core';
import { IconBan, IconCircleCheck, IconCircleX, IconClock } from '@tabler/icons-react';
import { StyledBadge } from './styled-badge';

const STYLES = {
  Requested: { color: 'blue', icon: IconClock, label: 'Waiting for payment' },
  Paid: { color: 'green', icon: IconCircleCheck, label: 'Paid' },
  Refused: { color: 'red', icon: IconCircleX, label: 'Refused' },
  Cancelled: { color: 'gray', icon: IconBan, label: 'Cancelled' },
} as const;

export function OrderStatus({ status, reason }: { status: keyof typeof STYLES; reason: string | null }) {
  return (
    <Group gap="xs">
      <StyledBadge style={STYLES[status]} />
      {reason !== null && <Text size="sm">{reason}</Text>}
    </Group>
  );
}
