import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useRef, useState } from 'react';

const COPIED_SHOWN_MS = 2_000;

interface CopyableProps {
  value: string;
  /** Name for screen readers, such as "the key". */
  what: string;
  label?: string;
}

export function Copyable({ value, what, label }: CopyableProps) {
  const shown = useRef<HTMLPreElement>(null);
  const [state, setState] = useState<'ready' | 'copied' | 'selected'>('ready');
  const { start } = useTimeout(() => setState('ready'), COPIED_SHOWN_MS);
  const copy = async () => {
    const isCopied = await copyText(value, shown.current);
    setState(isCopied ? 'copied' : 'selected');
    if (isCopied) start();
  };
  const isCopied = state === 'copied';
  return (
    <Stack gap={4}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        {label !== undefined && (
          <Text size="sm" w={48} flex="none">
            {label}
          </Text>
        )}
        <Code block ref={shown} flex={1} miw={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {value}
        </Code>
        <Button
          variant="default"
          size="xs"
          w={100}
          flex="none"
          leftSection={isCopied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          aria-label={isCopied ? `Copied ${what}` : `Copy ${what}`}
          onClick={() => void copy()}
        >
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
      </Group>
      {state === 'selected' && (
        <Text size="xs" component="output">
          This browser does not let the page copy. The text is selected: copy it with Ctrl+C, or ⌘C on a Mac.
        </Text>
      )}
    </Stack>
  );
}

/** Copies the text. If that fails, it selects the element and returns false. */
async function copyText(text: string, element: HTMLElement | null): Promise<boolean> {
  // Undefined on plain HTTP outside localhost, despite its type.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard !== undefined) {
    try {
      await clipboard.writeText(text);
      return true;
    } catch {}
  }
  if (element === null) return false;
  getSelection()?.selectAllChildren(element);
  // The only way to copy without a secure context.
  return document.execCommand('copy');
}
