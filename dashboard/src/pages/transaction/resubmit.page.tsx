import { Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Problem } from '../../api/errors';
import { hasRole } from '../../api/session';
import { EmptyState } from '../../parts/empty-state';
import { type Content, contentQuery } from '../../parts/invoice/content';
import { focusField } from '../../parts/invoice/field-actions';
import { InvoiceForm } from '../../parts/invoice/invoice-form';
import { toValues } from '../../parts/invoice/values';
import { ButtonLink } from '../../parts/links';
import { refreshFailures } from '../../parts/needs-action/refresh';
import { Page } from '../../parts/page';
import { useOrganisation, useScope } from '../../shell/use-session';
import { DocumentErrors } from './document-errors';
import { LoadingFailure } from './loading-failure';
import { type TransactionScope, type Transaction, useTransaction } from './use-transaction';

const route = getRouteApi('/signed-in/o/$tenantId/$environment/transactions/$transactionId/resubmit');

export function ResubmitPage() {
  const { transactionId } = route.useParams();
  const membership = useOrganisation();
  const scope = { ...useScope(), transactionId };
  const transaction = useTransaction(scope);
  const content = useQuery(contentQuery(scope));
  const { referenceId = '' } = transaction.data ?? {};
  return (
    <Page title={`Resubmit ${referenceId}`.trim()}>
      <LoadingFailure
        scope={scope}
        error={transaction.error ?? content.error}
        onRetry={() => {
          void transaction.refetch();
          void content.refetch();
        }}
      />
      {!hasRole(membership, 'member') ? (
        <EmptyState
          title="Viewers cannot send documents"
          text="Only members and owners can send documents. Ask an owner to change your role."
        />
      ) : transaction.data !== undefined && content.data !== undefined ? (
        <Correction
          key={`${scope.tenantId} ${transactionId}`}
          scope={scope}
          transaction={transaction.data}
          content={content.data}
        />
      ) : (
        !transaction.isError &&
        !content.isError && (
          <section aria-label="Loading …">
            <Skeleton h={800} />
          </section>
        )
      )}
    </Page>
  );
}

interface CorrectionProps {
  scope: TransactionScope;
  transaction: Transaction;
  content: Content;
}

function Correction({ scope, transaction, content }: CorrectionProps) {
  const { tenantId, environment, transactionId } = scope;
  // Keeps the state from when the page was opened, because the query is refetched when the window regains focus.
  const [initial] = useState(() => ({ values: toValues(content.request), problems: toProblems(transaction) }));
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  return (
    <Stack maw={1080}>
      <DocumentErrors scope={scope} transaction={transaction} onGoTo={focusField} />
      <Text size="sm">
        This is the document as it was accepted. Correct it and send it as a new attempt. This costs one credit.
      </Text>
      <Paper withBorder p="md">
        <InvoiceForm
          tenantId={tenantId}
          environment={environment}
          name={`correct.${transactionId}`}
          initialValues={initial.values}
          initialProblems={initial.problems}
          replacedNumber={transaction.referenceId}
          submitLabel="Send for 1 credit"
          onAccepted={async (batch) => {
            await refreshFailures(queryClient, scope);
            await navigate({
              to: '/o/$tenantId/$environment/transactions',
              params: { tenantId, environment },
              search: { batch },
            });
          }}
        />
      </Paper>
      <Group>
        <ButtonLink to="/o/$tenantId/$environment/transactions/$transactionId" params={scope} variant="default">
          Back
        </ButtonLink>
      </Group>
    </Stack>
  );
}

/** Returns the errors that have a pointer into the request. */
function toProblems({ errors }: Transaction): Problem[] {
  return errors.flatMap(({ pointer, message, hint, code }) =>
    pointer === null ? [] : [{ pointer, message, hint, rule: code }],
  );
}
