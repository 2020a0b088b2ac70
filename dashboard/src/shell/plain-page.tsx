import { Center, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageTitle } from '../parts/page';

export function PlainPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Center component="main" id="content" mih="100vh" p="md">
      <Stack w="100%" maw={440} gap="sm">
        <Text fw={600} ta="center">
          e-Invoice
        </Text>
        <Paper withBorder p="xl">
          <Stack>
            <PageTitle title={title} />
            {children}
          </Stack>
        </Paper>
      </Stack>
    </Center>
  );
}
