import { Badge } from '@mantine/core';
import {
  IconBan,
  IconCircleCheck,
  IconCircleHalf2,
  IconCircleX,
  IconClock,
  IconCloudUpload,
  IconLoader2,
  IconPlugConnectedX,
  IconReplace,
} from '@tabler/icons-react';
import { type BadgeStyle, StyledBadge } from './styled-badge';

const STYLES: Record<string, BadgeStyle> = {
  Queued: { color: 'gray', icon: IconClock, label: 'Queued' },
  Processing: { color: 'blue', icon: IconLoader2, label: 'Processing' },
  Submitted: { color: 'indigo', icon: IconCloudUpload, label: 'Submitted' },
  Valid: { color: 'green', icon: IconCircleCheck, label: 'Valid' },
  Invalid: { color: 'red', icon: IconCircleX, label: 'Invalid' },
  PartiallyValid: { color: 'yellow', icon: IconCircleHalf2, label: 'Partially valid' },
  SubmitFailed: { color: 'orange', icon: IconPlugConnectedX, label: 'Submit failed' },
  Cancelled: { color: 'grape', icon: IconBan, label: 'Cancelled' },
  Replaced: { color: 'gray', icon: IconReplace, label: 'Replaced' },
};

export function StatusBadge({ status }: { status: string }) {
  const look = STYLES[status];
  return look === undefined ? <Badge variant="default">{status}</Badge> : <StyledBadge style={look} />;
}

/** Returns the label of a status, or the status itself if it is unknown. */
export function formatStatus(status: string): string {
  return STYLES[status]?.label ?? status;
}
