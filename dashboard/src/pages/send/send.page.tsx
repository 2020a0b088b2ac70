import { Button, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { type Environment, hasRole } from '../../api/session';
import { EmptyState } from '../../parts/empty-state';
import { ErrorAlert } from '../../parts/error-alert';
import { Notice } from '../../parts/notice';
import { FollowedSubmission } from '../../parts/invoice/followed-submission';
import { contentQuery } from '../../parts/invoice/content';
import { InvoiceForm } from '../../parts/invoice/invoice-form';
import { emptyInvoice, toCreditNote } from '../../parts/invoice/values';
import { ButtonLink } from '../../parts/links';
import { organisationQuery } from '../../parts/organisation/queries';
import { focusHeading } from '../../parts/heading-focus';
import { Page } from '../../parts/page';
import { useResultFocus } from '../../parts/use-result-focus';
import { useEnvironment, useOrganisation } from '../../shell/use-session';

const route = getRouteApi('/signed-in/o/$tenantId/$environment/send');

/** One document, by hand. */
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
          title="Not for viewers"
          text="Only members and owners can send invoices. Ask an owner for that role."
        />
      </Page>
    );
  }
  if (data.missing.length > 0) {
    return (
      <Page title="Send an invoice">
        <EmptyState
          title="The profile comes first"
          text={`Before an invoice can be sent, the profile needs: ${data.missing.join(', ')}.`}
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
  const form = {
    tenantId,
    environment,
    submitLabel: 'Send (1 credit)',
    onAccepted: (submissionBatchId: string) => navigate({ search: { batch: submissionBatchId } }),
  };
  return creditNoteOf === undefined ? (
    <InvoiceForm key={`${tenantId} ${environment}`} {...form} name="send" initialValues={emptyInvoice()} />
  ) : (
    <CreditNoteForm key={`${tenantId} ${creditNoteOf}`} {...form} transactionId={creditNoteOf} />
  );
}

type FormProps = Omit<ComponentProps<typeof InvoiceForm>, 'name' | 'initialValues'>;

/** A credit note for a whole invoice, to be changed into what is credited. */
function CreditNoteForm({ transactionId, ...form }: FormProps & { transactionId: string }) {
  const { data, error, refetch } = useQuery(contentQuery({ ...form, transactionId }));
  if (data === undefined) {
    return error === null ? <Skeleton h={800} /> : <ErrorAlert error={error} onRetry={() => void refetch()} />;
  }
  return <InvoiceForm {...form} name={`credit-note.${transactionId}`} initialValues={toCreditNote(data.request)} />;
}

function ChargeNote({ environment, remainingCredits }: { environment: string; remainingCredits: number }) {
  const credits = `${remainingCredits.toLocaleString('en-MY')} ${remainingCredits === 1 ? 'credit' : 'credits'} left`;
  return environment === 'production' ? (
    <Notice kind="warning" title="This is production">
      <Text size="sm">
        A valid invoice is a tax document and can be cancelled for 72 hours only. Sending costs 1 credit; {credits}.
      </Text>
    </Notice>
  ) : (
    <Notice kind="info">
      <Text size="sm">
        The sandbox is for trying: nothing sent here is a tax document. It costs 1 credit; {credits}.
      </Text>
    </Notice>
  );
}
