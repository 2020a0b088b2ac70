import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Copyable } from '../../parts/copyable';
import { Dialog, DialogButtons } from '../../parts/dialog';
import { type MadeKey, tryLine } from './key';

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
          title="Save it now: it is not shown again"
        >
          Anyone who has it can send documents in your name. Put it where your program keeps its secrets, not into a
          mail or a chat.
        </Alert>
        <Copyable value={made.apiKey} what="the API key" />
        {children}
        <Text size="sm">
          Try it: this command checks a sample invoice in {made.environment}, and stores and charges nothing.
        </Text>
        <Copyable value={tryLine(window.location.origin, made.apiKey)} what="the command" />
        <DialogButtons>
          <Button onClick={onClose}>I have saved it</Button>
        </DialogButtons>
      </Stack>
    </Dialog>
  );
}
