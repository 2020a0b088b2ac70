import { Badge } from '@mantine/core';
import { IconFlask } from '@tabler/icons-react';

/** Says that nothing here counts. */
export function SandboxBadge() {
  return (
    <Badge
      variant="default"
      radius="sm"
      size="lg"
      tt="none"
      leftSection={<IconFlask size={16} color="var(--mantine-color-orange-outline)" aria-hidden />}
    >
      Sandbox
    </Badge>
  );
}
