import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Copyable } from '../../parts/copyable';
import { Dialog, DialogButtons } from '../../parts/dialog';
import { type MadeKey, buildTestCommand } from './key';

export function ShownKey({ made, children, onClose }: { made: MadeKey; children?: ReactNode; onClose: () => void }) {
  return (
    <Dialog
      onClose={onClose}
      title="Your new API key"
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Alert
          variant="default"
          icon={<IconAlertTriangle color="var(--mantine-color-orange-outline)" />}
          title="Save this key now. It is not shown again."
        >
          Anyone with this key can send documents in your name. Store it with the other secrets of your system, and do
          not send it by e-mail or chat.
        </Alert>
        <Copyable value={made.apiKey} what="the API key" />
        {children}
        <Text size="sm">
          This command tests the key. It checks a sample invoice in {made.environment} without storing or charging it.
        </Text>
        <Copyable value={buildTestCommand(window.location.origin, made.apiKey)} what="the command" />
        <DialogButtons>
          <Button onClick={onClose}>I have saved it</Button>
        </DialogButtons>
      </Stack>
    </Dialog>
  );
}
