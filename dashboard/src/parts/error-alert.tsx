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
  error: unknown;
  /** Default: all problems. A form passes only those without a field. */
  problems?: readonly Problem[];
  /** Shown for a failed query. Without it, the alert takes the focus because the user has just acted. */
  onRetry?: () => void;
}

/** Shows what failed, how to fix it, and the request id for support. */
export function ErrorAlert({ error, problems, onRetry }: ErrorAlertProps) {
  const alert = useRef<HTMLDivElement>(null);
  const { tenantId, environment } = useParams({ strict: false });
  const isPersons = onRetry === undefined;
  useEffect(() => {
    // The form focuses the field of a problem.
    const isInField = problems !== undefined && problems.length < asFailure(error).problems.length;
    if (isPersons && !isInField && alert.current !== null) focusInView(alert.current);
    // Runs only for a new error.
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

function readEnvironment(name: string | undefined): Environment | undefined {
  return name === 'sandbox' || name === 'production' ? name : undefined;
}

/** Returns the document number in the error, such as that of a duplicate. */
function readReference({ body }: CallFailure): string | undefined {
  const { referenceId } = (body ?? {}) as { referenceId?: unknown };
  return typeof referenceId === 'string' ? referenceId : undefined;
}

/** The message of a validation failure repeats its first problem with the JSON pointer, so it is replaced. */
function chooseText({ code, message, problems }: CallFailure, listed: readonly Problem[]): string {
  if (code !== 'validation_failed' || problems.length === 0) return formatTimesIn(message);
  return listed.length === 0 ? 'Correct the marked fields, then try again.' : 'Correct this, then try again:';
}
