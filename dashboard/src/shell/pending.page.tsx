import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';

export function PendingPage() {
  return (
    <Stack p="md" aria-busy="true">
      <VisuallyHidden component="output">Loading …</VisuallyHidden>
      <Skeleton h={36} maw={320} />
      <Skeleton h={320} />
    </Stack>
  );
}
