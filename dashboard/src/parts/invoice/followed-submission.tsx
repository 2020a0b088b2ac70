import { Anchor, Group, List, Loader, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';
import type { Scope } from '../../api/session';
import { ErrorAlert } from '../error-alert';
import { Finding } from '../finding';
import { TextLink } from '../links';
import { StatusBadge } from '../status-badge';
import { type Warning, WarningNotice } from './warning-notice';

type SentDocument = components['schemas']['DocumentStatusDto'];

/** Cache key of the warnings of a submission. Only the response to the submit contains them. */
export const warningsKey = (submissionBatchId: string) => ['submission-warnings', submissionBatchId];

interface FollowedSubmissionProps extends Scope {
  submissionBatchId: string;
  /** Called once when the submission is final. */
  onEnded?: () => void;
}

export function FollowedSubmission({ tenantId, environment, submissionBatchId, onEnded }: FollowedSubmissionProps) {
  const query = useQuery({
    queryKey: ['submission', tenantId, environment, submissionBatchId],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/{environment}/submissions/{submissionBatchId}', {
          params: { path: { tenantId, environment, submissionBatchId } },
        }),
      ),
    refetchInterval: ({ state }) => {
      const seconds = state.data?.nextPollAfterSeconds ?? null;
      return state.data !== undefined && seconds === null ? false : (seconds ?? 2) * 1_000;
    },
  });
  const warnings = useQueryClient().getQueryData<readonly Warning[]>(warningsKey(submissionBatchId)) ?? [];
  const isTerminal = query.data?.terminal === true;
  useEffect(() => {
    if (isTerminal) onEnded?.();
  }, [isTerminal, onEnded]);
  if (query.isPending) return <Skeleton h={76} />;
  if (query.data === undefined) return <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <Stack gap="sm" aria-live="polite">
      {warnings.length > 0 && <WarningNotice title="Accepted, with warnings" warnings={warnings} />}
      {query.data.documents.map((document) => (
        <Outcome
          key={document.documentId}
          document={document}
          isMoving={!isTerminal}
          scope={{ tenantId, environment }}
        />
      ))}
    </Stack>
  );
}

interface OutcomeProps {
  document: SentDocument;
  isMoving: boolean;
  scope: Scope;
}

function Outcome({ document, isMoving, scope }: OutcomeProps) {
  const { referenceId, submissionStatus, authorityStatus, errors, waiting, validationUrl } = document;
  const status = authorityStatus ?? submissionStatus;
  return (
    <Paper withBorder p="sm" mih={76}>
      <Stack gap="xs">
        <Group gap="sm">
          <Text fw={600}>{referenceId}</Text>
          <StatusBadge status={status} />
          {isMoving && <Loader size="xs" aria-hidden />}
          <Text size="sm">
            <TextLink
              to="/o/$tenantId/$environment/transactions/$transactionId"
              params={{ ...scope, transactionId: document.transactionId }}
            >
              Open the document
            </TextLink>
          </Text>
          {validationUrl !== null && (
            <Anchor href={validationUrl} size="sm" target="_blank" rel="noreferrer">
              At the authority
            </Anchor>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {waiting === null ? (OUTCOME_TEXTS[status] ?? status) : `${waiting.message}. ${waiting.hint}`}
        </Text>
        {errors.length > 0 && (
          <List size="sm">
            {errors.map((error) => (
              <List.Item key={`${error.code} ${error.message}`}>
                <Finding {...error} />
              </List.Item>
            ))}
          </List>
        )}
      </Stack>
    </Paper>
  );
}

const OUTCOME_TEXTS: Record<string, string> = {
  Queued: 'Accepted and charged. It will be sent to the authority next.',
  Processing: 'Being sent to the authority.',
  Submitted: 'The authority has it and is checking it.',
  Valid: 'The authority found it valid.',
  Invalid: 'The authority found it invalid. Correct it and send it again under the same number.',
  SubmitFailed: 'The authority refused it. Correct it and send it again under the same number.',
  Cancelled: 'It has been cancelled.',
};
