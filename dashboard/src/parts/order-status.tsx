import { Badge, Group, Text } from '@mantine/core';
import { IconBan, IconCircleCheck, IconCircleX, IconClock } from '@tabler/icons-react';

const LOOKS = {
  Requested: { color: 'blue', icon: IconClock, label: 'Waits for payment' },
  Paid: { color: 'green', icon: IconCircleCheck, label: 'Paid' },
  Refused: { color: 'red', icon: IconCircleX, label: 'Refused' },
  Cancelled: { color: 'gray', icon: IconBan, label: 'Cancelled' },
} as const;

/** What became of an order of credits, and why when it was refused. */
export function OrderStatus({ status, reason }: { status: keyof typeof LOOKS; reason: string | null }) {
  const { color, icon: Icon, label } = LOOKS[status];
  return (
    <Group gap="xs" miw={170}>
      <Badge
        variant="default"
        radius="sm"
        tt="none"
        fw={500}
        size="lg"
        flex="none"
        leftSection={<Icon size={16} color={`var(--mantine-color-${color}-outline)`} aria-hidden />}
      >
        {label}
      </Badge>
      {reason !== null && <Text size="sm">{reason}</Text>}
    </Group>
  );
}
