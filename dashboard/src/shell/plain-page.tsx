import { Center, Paper, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageTitle } from '../parts/page';

/** A page outside the layout: one narrow card in the middle. */
export function PlainPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Center component="main" id="content" mih="100vh" p="md">
      <Paper withBorder p="xl" w="100%" maw={440}>
        <Stack>
          <PageTitle title={title} />
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}
