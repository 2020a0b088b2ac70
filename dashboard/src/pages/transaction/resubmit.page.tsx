import { Alert, Anchor, Button, Group, List, Skeleton, Stack, Text, Textarea } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { unwrap, client } from '../../api/client';
import { asFailure, type Problem } from '../../api/errors';
import { DraftNotice, DraftState } from '../../parts/draft/draft-notice';
import { type DraftControl, useDraft } from '../../parts/draft/use-draft';
import { ErrorAlert } from '../../parts/error-alert';
import { ButtonLink } from '../../parts/links';
import { Page } from '../../parts/page';
import { describePlace } from '../../parts/place';
import { toSentence } from '../../parts/sentence';
import { useEnvironment, useOrganisation } from '../../shell/use-session';
import type { components } from '../../api/schema';
import { DocumentErrors } from './document-errors';
import { LoadingFailure } from './loading-failure';
import { laidOut, findLine, syntaxProblem } from './request-text';
import { type Place, type Transaction, useTransaction } from './use-transaction';

type SubmitBody = components['schemas']['SubmitDto'];

const route = getRouteApi('/signed-in/o/$tenantId/$environment/transactions/$transactionId/resubmit');

/** The request of a failed attempt, to be corrected and sent as a new one. */
export function ResubmitPage() {
  const { transactionId } = route.useParams();
  const place = { tenantId: useOrganisation().tenantId, environment: useEnvironment(), transactionId };
  const transaction = useTransaction(place);
  const request = useRequest(place);
  const { referenceId = '' } = transaction.data ?? {};
  return (
    <Page title={`Resubmit ${referenceId}`.trim()}>
      <LoadingFailure
        place={place}
        error={transaction.error ?? request.error}
        onRetry={() => {
          void transaction.refetch();
          void request.refetch();
        }}
      />
      {transaction.data !== undefined && request.data !== undefined ? (
        <Editor
          key={`${place.tenantId} ${transactionId}`}
          place={place}
          transaction={transaction.data}
          original={request.data}
        />
      ) : (
        !transaction.isError && !request.isError && <Skeleton h={480} aria-label="Loading …" />
      )}
    </Page>
  );
}

function useRequest({ tenantId, environment, transactionId }: Place) {
  return useQuery({
    queryKey: ['transactions', tenantId, environment, 'request', transactionId],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/{environment}/transactions/{transactionId}/request.json', {
          params: { path: { tenantId, environment, transactionId } },
        }),
      ),
    staleTime: Infinity,
  });
}

interface EditorProps {
  place: Place;
  transaction: Transaction;
  original: object;
}

function Editor({ place, transaction, original }: EditorProps) {
  const [initial] = useState(() => ({ text: JSON.stringify(original, null, 2) }));
  const [text, setText] = useState(initial.text);
  const area = useRef<HTMLTextAreaElement>(null);
  const draft = useDraft({
    place: [place.tenantId, place.environment, 'resubmit', place.transactionId],
    values: { text },
    initial,
    onRestore: (restored) => setText(restored.text),
  });
  const send = useSend(place, draft);
  const broken = syntaxProblem(text);
  const problems = send.error === null ? [] : asFailure(send.error).problems;
  const submit = () => send.mutate(JSON.parse(text) as SubmitBody);
  const show = (pointer: string) => {
    const tidy = laidOut(text);
    setText(tidy);
    selectLine(area.current, tidy, findLine(pointer, tidy));
  };
  return (
    <Stack>
      <DocumentErrors errors={transaction.errors} />
      <Text size="sm">
        This is the request that the service accepted. Correct and send it: this makes a new attempt of the same
        document and costs one credit. Keep the document number.
      </Text>
      {problems.length === 0 ? <ErrorAlert error={send.error} /> : <Problems problems={problems} onShow={show} />}
      <DraftNotice draft={draft} onSendAgain={submit} />
      <Textarea
        ref={area}
        readOnly={draft.doubt !== null}
        label="Request"
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        autosize
        minRows={16}
        maxRows={32}
        spellCheck={false}
        error={broken?.message}
        styles={{
          input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 'var(--mantine-font-size-xs)' },
        }}
      />
      <DraftState draft={draft} />
      <Group justify="flex-end">
        <ButtonLink to="/o/$tenantId/$environment/transactions/$transactionId" params={place} variant="default">
          Back
        </ButtonLink>
        <Button
          leftSection={<IconSend size={16} />}
          loading={send.isPending}
          disabled={broken !== null || draft.isLocked}
          onClick={submit}
        >
          Send for 1 credit
        </Button>
      </Group>
    </Stack>
  );
}

/** Sends a request as a new submit, then shows its batch. */
function useSend({ tenantId, environment }: Place, draft: Pick<DraftControl<unknown>, 'send'>) {
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: SubmitBody) =>
      draft.send(JSON.stringify(body), (idempotencyKey) =>
        unwrap(
          client.POST('/api/dashboard/organisations/{tenantId}/{environment}/submissions', {
            params: { path: { tenantId, environment }, header: { 'idempotency-key': idempotencyKey } },
            body,
          }),
        ),
      ),
    onSuccess: async (accepted) => {
      await queryClient.invalidateQueries({ queryKey: ['transactions', tenantId, environment] });
      await navigate({
        to: '/o/$tenantId/$environment/transactions',
        params: { tenantId, environment },
        search: 'submissionBatchId' in accepted ? { batch: accepted.submissionBatchId } : {},
      });
    },
  });
}

interface ProblemsProps {
  problems: readonly Problem[];
  onShow: (pointer: string) => void;
}

function Problems({ problems, onShow }: ProblemsProps) {
  return (
    <Alert variant="outline" color="red" role="alert" title="It was not sent: correct these first">
      <List size="sm">
        {problems.map((problem) => (
          <List.Item key={`${problem.pointer} ${problem.message}`}>
            <Anchor component="button" type="button" size="sm" onClick={() => onShow(problem.pointer)}>
              {describePlace(problem.pointer)}
            </Anchor>
            {': '}
            {toSentence(problem)}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

function selectLine(area: HTMLTextAreaElement | null, text: string, line: number | null): void {
  if (area === null || line === null) return;
  const lines = text.split('\n');
  const start = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
  // After React has put the tidy text in.
  requestAnimationFrame(() => {
    area.focus();
    area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  });
}
