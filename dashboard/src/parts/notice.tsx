import { Alert } from '@mantine/core';
import { IconAlertCircle, IconAlertTriangle, IconCircleCheck, IconClock, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode, Ref } from 'react';

const STYLES = {
  good: { color: 'green', icon: <IconCircleCheck /> },
  warning: { color: 'orange', icon: <IconAlertTriangle /> },
  bad: { color: 'red', icon: <IconAlertCircle /> },
  waiting: { color: 'blue', icon: <IconClock /> },
  info: { color: 'gray', icon: <IconInfoCircle /> },
} as const;

interface NoticeProps {
  kind: keyof typeof STYLES;
  title?: string;
  children?: ReactNode;
  ref?: Ref<HTMLDivElement>;
}

export function Notice({ kind, title, children, ref }: NoticeProps) {
  return (
    <Alert ref={ref} tabIndex={ref === undefined ? undefined : -1} variant="outline" title={title} {...STYLES[kind]}>
      {children}
    </Alert>
  );
}
