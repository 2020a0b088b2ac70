import { Alert, Button, Code, List, Stack, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { type CallFailure, type Problem, asFailure } from '../api/errors';
import type { Environment } from '../api/session';
import { ErrorLink } from './error-links';
import { formatTimesIn } from './malaysian-time';
import { describeField } from './field-names';
import { focusInView } from './focus-in-view';
import { toSentence } from './sentence';

interface ErrorAlertProps {
  /** Whatever was thrown; null shows nothing. */
  error: unknown;
  /** The problems to list; all of them when left out. A form leaves out those that stand next to its fields. */
  problems?: readonly Problem[];
  /** For what the page has asked for itself. What a person has asked for takes the focus when it fails. */
  onRetry?: () => void;
}

/** What went wrong, what to do, and the number to tell when asking for help. */
export function ErrorAlert({ error, problems, onRetry }: ErrorAlertProps) {
  const alert = useRef<HTMLDivElement>(null);
  const { tenantId, environment } = useParams({ strict: false });
  const isPersons = onRetry === undefined;
  useEffect(() => {
    // A problem of a field has its field focused.
    const isInField = problems !== undefined && problems.length < asFailure(error).problems.length;
    if (isPersons && !isInField && alert.current !== null) focusInView(alert.current);
    // Only of a new error.
    // eslint-disable-next-line react/exhaustive-deps
  }, [error]);
  if (error === null || error === undefined) return null;
  const failure = asFailure(error);
  const listed = problems ?? failure.problems;
  return (
    <Alert
      ref={alert}
      tabIndex={-1}
      variant="outline"
      color="red"
      role="alert"
      icon={<IconAlertCircle />}
      title="The request failed"
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{chooseText(failure, listed)}</Text>
        {listed.length > 0 && (
          <List size="sm">
            {listed.map((problem) => (
              <List.Item key={`${problem.pointer} ${problem.message}`}>
                <b>{describeField(problem.pointer)}</b>: {toSentence(problem)}
              </List.Item>
            ))}
          </List>
        )}
        {failure.requestId !== null && (
          <Text size="xs" c="dimmed">
            Request <Code>{failure.requestId}</Code>
          </Text>
        )}
        <ErrorLink
          code={failure.code}
          scope={{ tenantId, environment: readEnvironment(environment), referenceId: readReference(failure) }}
        />
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** Pages below an environment have one that is served. */
function readEnvironment(name: string | undefined): Environment | undefined {
  return name === 'sandbox' || name === 'production' ? name : undefined;
}

/** The number of the document that the refusal is about, such as that of a duplicate. */
function readReference({ body }: CallFailure): string | undefined {
  const { referenceId } = (body ?? {}) as { referenceId?: unknown };
  return typeof referenceId === 'string' ? referenceId : undefined;
}

/** The message of a refused form repeats its first problem with its JSON pointer. */
function chooseText({ code, message, problems }: CallFailure, listed: readonly Problem[]): string {
  if (code !== 'validation_failed' || problems.length === 0) return formatTimesIn(message);
  return listed.length === 0 ? 'Correct the marked fields, then try again.' : 'Correct this, then try again:';
}
