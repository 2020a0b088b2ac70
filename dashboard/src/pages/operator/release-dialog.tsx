import { Alert, Button, Checkbox, Group, ScrollArea, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';
import { Dialog, DialogButtons } from '../../parts/dialog';
import { ErrorAlert } from '../../parts/error-alert';
import { type Queue, QUEUE_KEY } from './queue-query';

export type Doubt = Queue['doubts'][number];

type Body = components['schemas']['ReleaseDto'];
export type Decision = Body['decision'];
type Status = NonNullable<Body['outcomes']>[number]['status'];

interface Explanation {
  title: string;
  effect: string;
  /** Statement that the operator must confirm. */
  claim: string;
  action: string;
  isDangerous: boolean;
}

const EXPLANATIONS: Record<Decision, Explanation> = {
  adopt: {
    title: 'The documents are at the authority',
    effect:
      'Each document receives the UUID that you enter and is tracked to its outcome. The authority is asked about each UUID ' +
      'first, and the UUID of another document is refused. Documents without a UUID stay in doubt.',
    claim: 'I have read these UUIDs in the authority’s portal',
    action: 'Adopt the documents',
    isDangerous: false,
  },
  outcome: {
    title: 'Enter what the authority’s portal shows',
    effect:
      'For calls that no dispatcher processes because their client id no longer exists. If you can still start a ' +
      'dispatcher with that client id, start it instead. Each document receives the status that you choose, without a ' +
      'check at the authority. A pending cancellation ends. Documents without a status are not changed.',
    claim: 'I have read these statuses in the authority’s portal',
    action: 'Enter the outcomes',
    isDangerous: true,
  },
  resend: {
    title: 'Send the documents again',
    effect:
      'The documents return to their old position in the queue and are sent with a new issue time. If a document has ' +
      'already arrived, the authority then has it twice: cancel one in its portal within 72 hours.',
    claim: 'Hours after the send, none of these documents is in the authority’s portal',
    action: 'Send the documents again',
    isDangerous: true,
  },
  fail: {
    title: 'Give up the documents',
    effect:
      'The documents become “Submit failed”, and the organisation may submit their numbers again. If a document has ' +
      'already arrived, the authority keeps it. Credits are not refunded.',
    claim: 'None of these documents is in the authority’s portal as submitted or valid, and none is wanted',
    action: 'Give up the documents',
    isDangerous: true,
  },
};

interface ReleaseDialogProps {
  doubt: Doubt;
  decision: Decision;
  onClose: () => void;
}

export function ReleaseDialog({ doubt, decision, onClose }: ReleaseDialogProps) {
  const { title, effect, claim, action, isDangerous } = EXPLANATIONS[decision];
  const [isClaimed, setClaimed] = useState(false);
  const [uuids, setUuids] = useState<Record<string, string>>({});
  const [statuses, setStatuses] = useState<Record<string, Status | null>>({});
  const mutation = useRelease(doubt.submissionId, onClose);
  const documents = Object.entries(uuids)
    .filter(([, uuid]) => uuid.trim() !== '')
    .map(([referenceId, uuid]) => ({ referenceId, authorityUuid: uuid.trim() }));
  const body = buildBody(decision, documents, statuses);
  const isComplete = isClaimed && body !== null;
  return (
    <Dialog onClose={onClose} title={title} size="lg">
      <Stack>
        <Text size="sm">
          {doubt.referenceIds.length} {doubt.referenceIds.length === 1 ? 'document' : 'documents'} of{' '}
          <b>{doubt.tenantName}</b>, {doubt.environment}
          {decision === 'adopt' || decision === 'outcome' ? '' : `: ${doubt.referenceIds.join(', ')}`}
        </Text>
        <Alert variant="outline" color={isDangerous ? 'red' : 'blue'} icon={<IconAlertTriangle />}>
          {effect}
        </Alert>
        {decision === 'adopt' && <Uuids referenceIds={doubt.referenceIds} uuids={uuids} onChange={setUuids} />}
        {decision === 'outcome' && (
          <Outcomes
            referenceIds={doubt.referenceIds}
            {...{ uuids, statuses }}
            onUuids={setUuids}
            onStatuses={setStatuses}
          />
        )}
        <Checkbox label={claim} checked={isClaimed} onChange={(event) => setClaimed(event.currentTarget.checked)} />
        <ErrorAlert error={mutation.error} />
        <DialogButtons>
          <Button variant="default" onClick={onClose}>
            Back
          </Button>
          <Button
            color={isDangerous ? 'red' : undefined}
            disabled={!isComplete}
            loading={mutation.isPending}
            onClick={() => body !== null && mutation.mutate(body)}
          >
            {action}
          </Button>
        </DialogButtons>
      </Stack>
    </Dialog>
  );
}

/** Returns null if the form is incomplete. */
function buildBody(
  decision: Decision,
  documents: NonNullable<Body['documents']>,
  statuses: Readonly<Record<string, Status | null>>,
): Body | null {
  if (decision === 'adopt') return documents.length === 0 ? null : { decision, documents };
  if (decision !== 'outcome') return { decision };
  const outcomes = Object.entries(statuses).flatMap(([referenceId, status]) => {
    if (status === null) return [];
    const authorityUuid = documents.find((document) => document.referenceId === referenceId)?.authorityUuid;
    return [authorityUuid === undefined ? { referenceId, status } : { referenceId, status, authorityUuid }];
  });
  return outcomes.length === 0 ? null : { decision, outcomes };
}

function useRelease(submissionId: string, onClose: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Body) =>
      unwrap(
        client.POST('/api/dashboard/operator/in-doubt/{submissionId}/release', {
          params: { path: { submissionId } },
          body,
        }),
      ),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: QUEUE_KEY });
      onClose();
    },
  });
}

interface UuidsProps {
  referenceIds: readonly string[];
  uuids: Record<string, string>;
  onChange: (uuids: Record<string, string>) => void;
}

function Uuids({ referenceIds, uuids, onChange }: UuidsProps) {
  return (
    <ScrollArea.Autosize mah={320}>
      <Stack gap="xs">
        {referenceIds.map((referenceId) => (
          <TextInput
            key={referenceId}
            label={`UUID of ${referenceId}`}
            value={uuids[referenceId] ?? ''}
            onChange={(event) => onChange({ ...uuids, [referenceId]: event.currentTarget.value })}
          />
        ))}
      </Stack>
    </ScrollArea.Autosize>
  );
}

const STATUSES: readonly { value: Status; label: string }[] = [
  { value: 'valid', label: 'Valid' },
  { value: 'invalid', label: 'Invalid' },
  { value: 'cancelled', label: 'Cancelled' },
];

interface OutcomesProps {
  referenceIds: readonly string[];
  uuids: Record<string, string>;
  statuses: Record<string, Status | null>;
  onUuids: (uuids: Record<string, string>) => void;
  onStatuses: (statuses: Record<string, Status | null>) => void;
}

function Outcomes({ referenceIds, uuids, statuses, onUuids, onStatuses }: OutcomesProps) {
  return (
    <ScrollArea.Autosize mah={320}>
      <Stack gap="xs">
        {referenceIds.map((referenceId) => (
          <Group key={referenceId} grow align="end">
            <Select
              label={`Status of ${referenceId}`}
              placeholder="Unknown"
              data={STATUSES}
              clearable
              value={statuses[referenceId] ?? null}
              onChange={(status) => onStatuses({ ...statuses, [referenceId]: status })}
            />
            <TextInput
              label={`UUID of ${referenceId}, if required`}
              value={uuids[referenceId] ?? ''}
              onChange={(event) => onUuids({ ...uuids, [referenceId]: event.currentTarget.value })}
            />
          </Group>
        ))}
      </Stack>
    </ScrollArea.Autosize>
  );
}
