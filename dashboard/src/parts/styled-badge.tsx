import { Badge } from '@mantine/core';
import type { ComponentType } from 'react';

export interface BadgeStyle {
  color: string;
  icon: ComponentType<{ size?: number; color?: string; 'aria-hidden'?: boolean }>;
  label: string;
}

/**
 * Shows a status as an icon and text. The text has the normal colour for contrast in both schemes. There is no frame
 * because buttons have one.
 */
export function StyledBadge({ style: { color, icon: Icon, label } }: { style: BadgeStyle }) {
  return (
    <Badge
      variant="light"
      color={color}
      c="var(--mantine-color-text)"
      radius="sm"
      tt="none"
      fw={500}
      size="lg"
      miw="max-content"
      leftSection={<Icon size={16} color={`var(--mantine-color-${color}-outline)`} aria-hidden />}
    >
      {label}
    </Badge>
  );
}
