import { Alert } from '@mantine/core';
import { IconAlertCircle, IconAlertTriangle, IconCircleCheck, IconClock, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';

const STYLES = {
  good: { color: 'green', icon: <IconCircleCheck /> },
  warning: { color: 'orange', icon: <IconAlertTriangle /> },
  bad: { color: 'red', icon: <IconAlertCircle /> },
  waiting: { color: 'blue', icon: <IconClock /> },
  info: { color: 'gray', icon: <IconInfoCircle /> },
} as const;

/** Something to know before going on. */
export function Notice({ kind, title, children }: { kind: keyof typeof STYLES; title?: string; children?: ReactNode }) {
  return (
    <Alert variant="outline" title={title} {...STYLES[kind]}>
      {children}
    </Alert>
  );
}
