import { Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { focusLateHeading } from './heading-focus';

/** Heading and window title of a page. The heading takes the focus after a navigation. */
export function PageTitle({ title }: { title: string }) {
  useEffect(focusLateHeading, []);
  return (
    <>
      <title>{`${title} · e-Invoice`}</title>
      <Title order={1} tabIndex={-1}>
        {title}
      </Title>
    </>
  );
}

/** Frame of a page in the layout. */
export function Page({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <PageTitle title={title} />
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
