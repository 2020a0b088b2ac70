import { Alert, Button, Code, List, Stack, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { type Problem, asFailure } from '../api/errors';
import { toSentence } from './sentence';

interface ErrorAlertProps {
  /** Whatever was thrown; null shows nothing. */
  error: unknown;
  /** The problems to list; all of them when left out. A form leaves out those that stand next to its fields. */
  problems?: readonly Problem[];
  onRetry?: () => void;
}

/** What went wrong, what to do, and the number to tell when asking for help. */
export function ErrorAlert({ error, problems, onRetry }: ErrorAlertProps) {
  if (error === null || error === undefined) return null;
  const failure = asFailure(error);
  const listed = problems ?? failure.problems;
  return (
    <Alert variant="outline" color="red" role="alert" icon={<IconAlertCircle />} title="The request failed">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{failure.message}</Text>
        {listed.length > 0 && (
          <List size="sm">
            {listed.map((problem) => (
              <List.Item key={`${problem.pointer} ${problem.message}`}>
                <Code>{problem.pointer}</Code> {toSentence(problem)}
              </List.Item>
            ))}
          </List>
        )}
        {failure.requestId !== null && (
          <Text size="xs" c="dimmed">
            Request <Code>{failure.requestId}</Code>
          </Text>
        )}
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
