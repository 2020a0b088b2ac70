import { Button, Code, List, Radio, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { CallFailure } from '../../api/errors';
import { Dialog, DialogButtons } from '../../parts/dialog';
import { ErrorAlert } from '../../parts/error-alert';
import { formatEnvironment } from '../../parts/format';
import { Instant } from '../../parts/instant';

export type KeyChoice = 'keep' | 'revoke';

interface WorkingKey {
  keyId: string;
  name: string;
  environment: 'sandbox' | 'production';
  prefix: string;
  lastFour: string;
  lastUsedAt: string | null;
}

interface DepartureDialogProps {
  title: string;
  /** Consequences apart from the keys. */
  children: ReactNode;
  confirm: string;
  who: string;
  call: (keys: KeyChoice | undefined) => Promise<unknown>;
  onDone: () => unknown;
  onClose: () => void;
}

/** Confirms that a user loses access. If the user created API keys that still work, it asks whether to revoke them. */
export function DepartureDialog({ title, children, confirm, who, call, onDone, onClose }: DepartureDialogProps) {
  const [choice, setChoice] = useState<KeyChoice | undefined>();
  const [keys, setKeys] = useState<readonly WorkingKey[]>([]);
  const departure = useMutation({
    mutationFn: () => call(choice),
    onSuccess: async () => {
      await onDone();
      onClose();
    },
    onError: (error) => setKeys(readUndecidedKeys(error)),
  });
  const isUndecided = keys.length > 0;
  return (
    <Dialog onClose={onClose} title={title}>
      <Stack>
        {!isUndecided && <ErrorAlert error={departure.error} />}
        <Text size="sm">{children}</Text>
        {isUndecided && <KeysQuestion who={who} keys={keys} choice={choice} onChoice={setChoice} />}
        <DialogButtons>
          <Button variant="default" onClick={onClose} data-autofocus>
            Back
          </Button>
          <Button
            color="red"
            loading={departure.isPending}
            disabled={isUndecided && choice === undefined}
            onClick={() => departure.mutate()}
          >
            {confirm}
          </Button>
        </DialogButtons>
      </Stack>
    </Dialog>
  );
}

interface KeysQuestionProps {
  who: string;
  keys: readonly WorkingKey[];
  choice: KeyChoice | undefined;
  onChoice: (choice: KeyChoice) => void;
}

function KeysQuestion({ who, keys, choice, onChoice }: KeysQuestionProps) {
  return (
    <Stack gap="xs" role="alert">
      <Text size="sm">{who} created API keys that still work and may have copies of them:</Text>
      <List size="sm">
        {keys.map(({ keyId, name, environment, prefix, lastFour, lastUsedAt }) => (
          <List.Item key={keyId}>
            {name}, {formatEnvironment(environment)},{' '}
            <Code>
              {prefix}…{lastFour}
            </Code>
            , last use <Instant at={lastUsedAt} never="not yet" />
          </List.Item>
        ))}
      </List>
      <Radio.Group
        label="What should happen to these keys?"
        value={choice ?? null}
        onChange={(value) => onChoice(value === 'revoke' ? 'revoke' : 'keep')}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="revoke" label="Revoke them. Systems that use them are refused immediately." />
          <Radio value="keep" label="Keep them. Rotate each key soon to make the copies useless." />
        </Stack>
      </Radio.Group>
    </Stack>
  );
}

/** Returns the keys from an API error that requires a decision about them. */
function readUndecidedKeys(error: unknown): readonly WorkingKey[] {
  if (!(error instanceof CallFailure) || error.code !== 'member_keys_undecided') return [];
  return (error.body as { keys: readonly WorkingKey[] }).keys;
}
