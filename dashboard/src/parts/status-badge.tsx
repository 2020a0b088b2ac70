import { Badge } from '@mantine/core';
import {
  IconBan,
  IconCircleCheck,
  IconCircleX,
  IconClock,
  IconCloudUpload,
  IconLoader2,
  IconPlugConnectedX,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';

interface Look {
  color: string;
  icon: ComponentType<{ size?: number; color?: string; 'aria-hidden'?: boolean }>;
  label: string;
}

const LOOKS: Record<string, Look> = {
  Queued: { color: 'gray', icon: IconClock, label: 'Queued' },
  Processing: { color: 'blue', icon: IconLoader2, label: 'Processing' },
  Submitted: { color: 'indigo', icon: IconCloudUpload, label: 'Submitted' },
  Valid: { color: 'green', icon: IconCircleCheck, label: 'Valid' },
  Invalid: { color: 'red', icon: IconCircleX, label: 'Invalid' },
  SubmitFailed: { color: 'orange', icon: IconPlugConnectedX, label: 'Submit failed' },
  Cancelled: { color: 'grape', icon: IconBan, label: 'Cancelled' },
};

/**
 * A document's status as icon and word. The word has the text's own colour, so that it is readable in both schemes;
 * only the icon is coloured. A status that is not in the table is shown by its name.
 */
export function StatusBadge({ status }: { status: string }) {
  const look = LOOKS[status];
  if (look === undefined) return <Badge variant="default">{status}</Badge>;
  const Icon = look.icon;
  return (
    <Badge
      variant="default"
      radius="sm"
      tt="none"
      fw={500}
      size="lg"
      leftSection={<Icon size={16} color={`var(--mantine-color-${look.color}-outline)`} aria-hidden />}
    >
      {look.label}
    </Badge>
  );
}
