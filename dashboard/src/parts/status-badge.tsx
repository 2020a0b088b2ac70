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
import { type Look, LookBadge } from './look-badge';

const LOOKS: Record<string, Look> = {
  Queued: { color: 'gray', icon: IconClock, label: 'Queued' },
  Processing: { color: 'blue', icon: IconLoader2, label: 'Processing' },
  Submitted: { color: 'indigo', icon: IconCloudUpload, label: 'Submitted' },
  Valid: { color: 'green', icon: IconCircleCheck, label: 'Valid' },
  Invalid: { color: 'red', icon: IconCircleX, label: 'Invalid' },
  SubmitFailed: { color: 'orange', icon: IconPlugConnectedX, label: 'Submit failed' },
  Cancelled: { color: 'grape', icon: IconBan, label: 'Cancelled' },
};

/** A document's status. One that is not in the table is shown by its name. */
export function StatusBadge({ status }: { status: string }) {
  const look = LOOKS[status];
  return look === undefined ? <Badge variant="default">{status}</Badge> : <LookBadge look={look} />;
}
