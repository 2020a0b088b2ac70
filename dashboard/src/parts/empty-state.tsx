import { Center, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export function EmptyState({ title, text, action }: { title: string; text: string; action?: ReactNode }) {
  return (
    <Center mih={220} p="md">
      <Stack align="center" gap="xs" maw={420} ta="center">
        <Title order={2}>{title}</Title>
        <Text c="dimmed">{text}</Text>
        {action}
      </Stack>
    </Center>
  );
}
