import { Button, Code, CopyButton, Group, Text } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

interface CopyableProps {
  value: string;
  /** Its name for screen readers: "the key". */
  what: string;
  /** Shown before it, where several stand below each other. */
  label?: string;
}

/** A value to take along, with a button that copies it. */
export function Copyable({ value, what, label }: CopyableProps) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      {label !== undefined && (
        <Text size="sm" w={48} flex="none">
          {label}
        </Text>
      )}
      <Code block flex={1} miw={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {value}
      </Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            size="xs"
            w={100}
            flex="none"
            leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
            aria-label={copied ? `Copied ${what}` : `Copy ${what}`}
            onClick={copy}
          >
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}
