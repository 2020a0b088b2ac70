import { Button, Grid, Skeleton, Stack } from '@mantine/core';
import { IconFileMinus, IconPencil } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { hasRole } from '../../api/session';
import { formatDocumentType } from '../../parts/format';
import { ButtonLink } from '../../parts/links';
import { Page } from '../../parts/page';
import { useOrganisation, useScope } from '../../shell/use-session';
import { Attempts } from './attempts';
import { CancelButton } from './cancel-dialog';
import { DismissDocument } from './dismissal';
import { DocumentErrors } from './document-errors';
import { Facts, TechnicalDetails, Validation } from './facts';
import { Files } from './files';
import { LinesAndLinks } from './lines';
import { LoadingFailure } from './loading-failure';
import { isUnderWay, State } from './state';
import { Timeline } from './timeline';
import { type TransactionScope, type Transaction, useTransaction } from './use-transaction';

const route = getRouteApi('/signed-in/o/$tenantId/$environment/transactions/$transactionId');

export function TransactionPage() {
  const { transactionId } = route.useParams();
  const scope = { ...useScope(), transactionId };
  const query = useTransaction(scope);
  const transaction = query.data;
  return (
    <Page
      title={transaction === undefined ? 'Document' : buildTitle(transaction)}
      actions={transaction !== undefined && <Actions scope={scope} transaction={transaction} />}
    >
      <LoadingFailure scope={scope} error={query.error} onRetry={() => void query.refetch()} />
      {transaction === undefined ? !query.isError && <Loading /> : <Content scope={scope} transaction={transaction} />}
    </Page>
  );
}

function buildTitle({ documentType, referenceId }: Transaction): string {
  return `${formatDocumentType(documentType)} ${referenceId}`;
}

function Loading() {
  return (
    <Stack component="section" aria-label="Loading …">
      <Skeleton h={28} w={200} />
      <Skeleton h={320} />
    </Stack>
  );
}

function Actions({ scope, transaction }: { scope: TransactionScope; transaction: Transaction }) {
  const mayChange = hasRole(useOrganisation(), 'member');
  return (
    <>
      {mayChange && transaction.mayResubmit && <ResubmitLink scope={scope} />}
      <Files scope={scope} transaction={transaction} />
      {mayChange && <Changes scope={scope} transaction={transaction} />}
    </>
  );
}

function ResubmitLink({ scope }: { scope: TransactionScope }) {
  return (
    <ButtonLink
      to="/o/$tenantId/$environment/transactions/$transactionId/resubmit"
      params={scope}
      leftSection={<IconPencil size={16} aria-hidden />}
    >
      Correct and resubmit
    </ButtonLink>
  );
}

/** Puts destructive actions last. */
function Changes({ scope, transaction }: { scope: TransactionScope; transaction: Transaction }) {
  return (
    <>
      {mayBeCredited(transaction) && (
        <ButtonLink
          to="/o/$tenantId/$environment/send"
          params={{ tenantId: scope.tenantId, environment: scope.environment }}
          search={{ creditNoteOf: scope.transactionId }}
          variant="default"
          leftSection={<IconFileMinus size={16} aria-hidden />}
        >
          Credit note
        </ButtonLink>
      )}
      {transaction.needsAction && <DismissDocument scope={scope} transaction={transaction} />}
      {transaction.cancel.isPossible ? (
        <CancelButton scope={scope} transaction={transaction} />
      ) : (
        transaction.status === 'Valid' && (
          <Button variant="default" disabled>
            Cancel document
          </Button>
        )
      )}
    </>
  );
}

/** Whether a credit note may refer to the document (docs/rules.md#credit-notes). */
function mayBeCredited({ documentType, status, isCurrent, cancellation }: Transaction): boolean {
  return documentType === 'invoice' && status === 'Valid' && isCurrent && !isUnderWay(cancellation);
}

function Content({ scope, transaction }: { scope: TransactionScope; transaction: Transaction }) {
  return (
    <>
      <State scope={scope} transaction={transaction} />
      <DocumentErrors scope={scope} transaction={transaction} />
      {/* Uses the full width so that amounts are not cut off. */}
      <LinesAndLinks scope={scope} />
      <Grid>
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack>
            <Facts transaction={transaction} />
            <Timeline steps={transaction.timeline} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack>
            <Validation transaction={transaction} />
            <Attempts scope={scope} attempts={transaction.attempts} />
            <TechnicalDetails scope={scope} transaction={transaction} />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}
