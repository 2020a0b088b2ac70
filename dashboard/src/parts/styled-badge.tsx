import { Badge } from '@mantine/core';
import type { ComponentType } from 'react';

/** How a status is shown. */
export interface BadgeStyle {
  color: string;
  icon: ComponentType<{ size?: number; color?: string; 'aria-hidden'?: boolean }>;
  label: string;
}

/**
 * A status as icon and word. The word has the text's own colour, so that it is readable in both schemes; the icon and
 * the ground are coloured, without a frame, which buttons have. It is never cut off: it is as wide as its word.
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
