import { Button, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { type Environment, hasRole } from '../../api/session';
import { EmptyState } from '../../parts/empty-state';
import { formatAmount } from '../../parts/format';
import { ErrorAlert } from '../../parts/error-alert';
import { Notice } from '../../parts/notice';
import { FollowedSubmission } from '../../parts/invoice/followed-submission';
import { type Credited, contentQuery } from '../../parts/invoice/content';
import { InvoiceForm } from '../../parts/invoice/invoice-form';
import { findNextNumber, type NextNumbers, nextNumbersQuery } from '../../parts/invoice/next-numbers';
import { emptyInvoice, toCreditNote, withoutQuantities } from '../../parts/invoice/values';
import { ButtonLink } from '../../parts/links';
import { organisationQuery } from '../../parts/organisation/queries';
import { focusHeading } from '../../parts/heading-focus';
import { Page } from '../../parts/page';
import { useResultFocus } from '../../parts/use-result-focus';
import { useEnvironment, useOrganisation } from '../../shell/use-session';

const route = getRouteApi('/signed-in/o/$tenantId/$environment/send');

export function SendPage() {
  const membership = useOrganisation();
  const environment = useEnvironment();
  const { tenantId } = membership;
  const { batch, creditNoteOf } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(organisationQuery(tenantId));
  const sent = useResultFocus<HTMLHeadingElement>(batch);
  if (data === undefined) {
    return (
      <Page title="Send an invoice">
        {error === null ? <Skeleton h={800} /> : <ErrorAlert error={error} onRetry={() => void refetch()} />}
      </Page>
    );
  }
  if (!hasRole(membership, 'member')) {
    return (
      <Page title="Send an invoice">
        <EmptyState
          title="Viewers cannot send invoices"
          text="Only members and owners can send invoices. Ask an owner to change your role."
        />
      </Page>
    );
  }
  if (data.missing.length > 0) {
    return (
      <Page title="Send an invoice">
        <EmptyState
          title="Complete the profile first"
          text={`Missing before you can send an invoice: ${data.missing.join(', ')}.`}
          action={
            <ButtonLink to="/o/$tenantId/onboarding" params={{ tenantId }}>
              Complete the profile
            </ButtonLink>
          }
        />
      </Page>
    );
  }
  return (
    <Page title={creditNoteOf === undefined ? 'Send an invoice' : 'Send a credit note'}>
      <Stack maw={1080}>
        {batch === undefined ? (
          <>
            <ChargeNote environment={environment} remainingCredits={data.remainingCredits[environment]} />
            <Paper withBorder p="md">
              <DocumentForm tenantId={tenantId} environment={environment} creditNoteOf={creditNoteOf} />
            </Paper>
          </>
        ) : (
          <>
            <Title order={2} ref={sent} tabIndex={-1}>
              Sent
            </Title>
            <FollowedSubmission tenantId={tenantId} environment={environment} submissionBatchId={batch} />
            <Button variant="default" w="fit-content" onClick={() => void navigate({ search: {} }).then(focusHeading)}>
              Send another one
            </Button>
          </>
        )}
      </Stack>
    </Page>
  );
}

interface DocumentFormProps {
  tenantId: string;
  environment: Environment;
  creditNoteOf: string | undefined;
}

function DocumentForm({ tenantId, environment, creditNoteOf }: DocumentFormProps) {
  const navigate = route.useNavigate();
  const { data: nextNumbers = [], isPending } = useQuery(nextNumbersQuery(tenantId, environment));
  // The form ignores later changes of its initial values. If no number can be suggested, the user types one.
  if (isPending) return <Skeleton h={800} />;
  const form = {
    tenantId,
    environment,
    nextNumbers,
    submitLabel: 'Send (1 credit)',
    onAccepted: (submissionBatchId: string) => navigate({ search: { batch: submissionBatchId } }),
  };
  return creditNoteOf === undefined ? (
    <InvoiceForm
      key={`${tenantId} ${environment}`}
      {...form}
      name="send"
      initialValues={emptyInvoice(findNextNumber(nextNumbers, 'invoice'))}
    />
  ) : (
    <CreditNoteForm key={`${tenantId} ${creditNoteOf}`} {...form} transactionId={creditNoteOf} />
  );
}

type FormProps = Omit<ComponentProps<typeof InvoiceForm>, 'name' | 'initialValues'> & { nextNumbers: NextNumbers };

function CreditNoteForm({ transactionId, ...form }: FormProps & { transactionId: string }) {
  // Includes credit notes that were sent a moment ago.
  const content = useQuery({ ...contentQuery({ ...form, transactionId }), refetchOnMount: 'always' });
  const { data, error, refetch, isFetchedAfterMount } = content;
  if (data === undefined || !isFetchedAfterMount) {
    return error === null ? <Skeleton h={800} /> : <ErrorAlert error={error} onRetry={() => void refetch()} />;
  }
  const number = findNextNumber(form.nextNumbers, 'credit_note');
  const { credited, request } = data;
  const left = credited === null ? request : credited.leftRequest;
  const initialValues = left === null ? withoutQuantities(toCreditNote(request, number)) : toCreditNote(left, number);
  return (
    <Stack>
      {credited !== null && <CreditedNote {...credited} />}
      <InvoiceForm
        {...form}
        name={`credit-note.${transactionId}`}
        initialValues={initialValues}
        draftBasis={describeLeft(credited)}
      />
    </Stack>
  );
}

/** Describes the uncredited remainder that a draft is based on. Another credit note changes it. */
function describeLeft(credited: Credited | null): string {
  const lines = credited?.leftRequest?.documents[0]?.lineItems ?? [];
  return JSON.stringify([credited?.leftAmount, ...lines.map(({ quantity }) => quantity)]);
}

function CreditedNote({ payableAmount, leftAmount, leftRequest }: Credited) {
  if (leftAmount <= 0) {
    return (
      <Notice kind="warning" title="This invoice has been credited in full">
        <Text size="sm">Send another credit note only if one of the earlier ones is wrong.</Text>
      </Notice>
    );
  }
  return (
    <Notice kind="info" title={`${formatAmount(leftAmount)} of ${formatAmount(payableAmount)} is left to credit`}>
      <Text size="sm">
        {leftRequest === null
          ? 'Type the quantity and the tax of each line that you credit, and remove the other lines.'
          : 'A new form starts with the quantities that no earlier credit note has credited.'}
      </Text>
    </Notice>
  );
}

function ChargeNote({ environment, remainingCredits }: { environment: string; remainingCredits: number }) {
  const credits = `${remainingCredits.toLocaleString('en-MY')} ${remainingCredits === 1 ? 'credit' : 'credits'} left`;
  return environment === 'production' ? (
    <Notice kind="warning" title="This is production">
      <Text size="sm">
        A valid invoice is a tax document and can be cancelled only within 72 hours. Sending costs 1 credit; {credits}.
      </Text>
    </Notice>
  ) : (
    <Notice kind="info">
      <Text size="sm">
        The sandbox is for testing: documents sent here are not tax documents. Sending costs 1 credit; {credits}.
      </Text>
    </Notice>
  );
}
