import { Anchor, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Notice } from '../../parts/notice';
import { useCallback } from 'react';
import { hasRole } from '../../api/session';
import { FollowedSubmission } from '../../parts/invoice/followed-submission';
import { InvoiceForm } from '../../parts/invoice/invoice-form';
import { sampleInvoice } from '../../parts/invoice/values';
import { ButtonLink } from '../../parts/links';
import { AppointmentCheck, AppointmentSteps } from '../../parts/organisation/appointment';
import { findVerification, VerificationNotice } from '../../parts/organisation/verification';
import { codeListQuery, type OrganisationDetails, organisationQuery } from '../../parts/organisation/queries';
import { useOrganisation, useSession } from '../../shell/use-session';
import { findFirstOpen, STEPS, TRIAL_ENVIRONMENT } from './steps';

const route = getRouteApi('/signed-in/o/$tenantId/onboarding');

interface StepProps {
  organisation: OrganisationDetails;
  onNext: () => unknown;
}

export function AppointmentStep({ organisation, onNext }: StepProps) {
  const mayCheck = hasRole(useOrganisation(), 'member');
  const isAppointed = STEPS.some(({ name, isDone }) => name === 'appointment' && isDone(organisation));
  return (
    <Stack>
      <Title order={2}>Appoint us as your intermediary</Title>
      <Text size="sm" c="dimmed">
        The tax authority accepts invoices from us only after you have appointed us as your intermediary. You do this
        once for the sandbox and once for production.
      </Text>
      <AppointmentSteps environment={TRIAL_ENVIRONMENT} intermediary={organisation.onboarding.intermediary} />
      <AppointmentCheck organisation={organisation} environment={TRIAL_ENVIRONMENT} mayCheck={mayCheck} />
      <VerificationNotice organisation={organisation} environment={TRIAL_ENVIRONMENT} />
      <NextButton onNext={onNext} isDone={isAppointed} />
    </Stack>
  );
}

export function KeyStep({ organisation, onNext }: StepProps) {
  const { tenantId, onboarding } = organisation;
  const isVerified = findVerification(organisation, TRIAL_ENVIRONMENT)?.status === 'verified';
  return (
    <Stack>
      <Title order={2}>Your first API key</Title>
      <Text size="sm" c="dimmed">
        Your systems send invoices with a key. Start with a sandbox key, which does not work in production. If you only
        send invoices by hand, you do not need a key.
      </Text>
      {!isVerified && <NotVerified organisation={organisation} />}
      {onboarding.hasSandboxKey && <Notice kind="good" title="You have a sandbox key" />}
      {(isVerified || onboarding.hasSandboxKey) && (
        <Group>
          <Button
            component="a"
            href={`/dashboard/o/${tenantId}/keys`}
            variant={onboarding.hasSandboxKey ? 'default' : 'filled'}
          >
            {onboarding.hasSandboxKey ? 'Show the keys' : 'Create a key'}
          </Button>
        </Group>
      )}
      <NextButton onNext={onNext} isDone={onboarding.hasSandboxKey} />
    </Stack>
  );
}

function NextButton({ onNext, isDone }: { onNext: () => unknown; isDone: boolean }) {
  return (
    <Group>
      <Button variant={isDone ? 'filled' : 'default'} onClick={() => void onNext()}>
        {isDone ? 'Continue' : 'Skip this step'}
      </Button>
    </Group>
  );
}

export function InvoiceStep({ organisation }: { organisation: OrganisationDetails }) {
  const { batch } = route.useSearch();
  return (
    <Stack>
      <Title order={2}>Your first invoice, in the sandbox</Title>
      <Text size="sm" c="dimmed">
        The buyer is your own organisation, because the authority knows it. The invoice is not a tax document.
      </Text>
      {batch === undefined ? (
        <FirstInvoice organisation={organisation} />
      ) : (
        <FirstOutcome organisation={organisation} submissionBatchId={batch} />
      )}
    </Stack>
  );
}

type OrganisationProps = Pick<StepProps, 'organisation'>;

function NotVerified({ organisation }: OrganisationProps) {
  return (
    <>
      <VerificationNotice organisation={organisation} environment={TRIAL_ENVIRONMENT} />
      <BackToStep organisation={organisation} />
    </>
  );
}

const APPOINTMENT_STEP = STEPS.findIndex(({ name }) => name === 'appointment');

/** Links to the earlier step that must be completed first. Renders nothing if only the operator can act. */
function BackToStep({ organisation }: OrganisationProps) {
  const navigate = route.useNavigate();
  const status = findVerification(organisation, TRIAL_ENVIRONMENT)?.status;
  if (organisation.missing.length === 0 && status === 'waiting') return null;
  // A refusal concerns the TIN or the id. Otherwise the appointment may have to be checked again.
  const index = status === 'refused' ? 0 : Math.min(findFirstOpen(organisation), APPOINTMENT_STEP);
  return (
    <Group>
      <Button onClick={() => void navigate({ search: (search) => ({ ...search, step: index + 1 }) })}>
        Go to step {index + 1}: {STEPS[index].label}
      </Button>
    </Group>
  );
}

function FirstInvoice({ organisation }: { organisation: OrganisationDetails }) {
  const { tenantId, profile, missing, remainingCredits } = organisation;
  const maySend = hasRole(useOrganisation(), 'member');
  const navigate = route.useNavigate();
  const states = useQuery(codeListQuery('states'));
  if (missing.length > 0) {
    return (
      <>
        <Notice kind="warning" title="Complete the profile first">
          Still missing: {missing.join(', ')}.
        </Notice>
        <BackToStep organisation={organisation} />
      </>
    );
  }
  if (findVerification(organisation, TRIAL_ENVIRONMENT)?.status !== 'verified') {
    return <NotVerified organisation={organisation} />;
  }
  if (!maySend)
    return <Notice kind="info">Only members and owners can send an invoice. Ask an owner to change your role.</Notice>;
  if (states.data === undefined) return <Skeleton h={600} />;
  const slug = states.data.find(({ code }) => code === profile.stateCode)?.slug ?? profile.stateCode ?? '';
  return (
    <>
      {remainingCredits[TRIAL_ENVIRONMENT] === 0 && <NoCredits tenantId={tenantId} />}
      <InvoiceForm
        key={tenantId}
        tenantId={tenantId}
        environment={TRIAL_ENVIRONMENT}
        name="first-invoice"
        initialValues={sampleInvoice(profile, slug)}
        submitLabel="Send (1 credit)"
        onAccepted={(submissionBatchId) =>
          navigate({ search: (search) => ({ ...search, step: STEPS.length, batch: submissionBatchId }) })
        }
      />
    </>
  );
}

function FirstOutcome({
  organisation,
  submissionBatchId,
}: {
  organisation: OrganisationDetails;
  submissionBatchId: string;
}) {
  const { tenantId, onboarding } = organisation;
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const refresh = useCallback(
    () => void queryClient.invalidateQueries(organisationQuery(tenantId)),
    [queryClient, tenantId],
  );
  return (
    <>
      <FollowedSubmission
        tenantId={tenantId}
        environment={TRIAL_ENVIRONMENT}
        submissionBatchId={submissionBatchId}
        onEnded={refresh}
      />
      {onboarding.hasValidSandboxDocument ? (
        <AllDone organisation={organisation} />
      ) : (
        <Group>
          <Button variant="default" onClick={() => void navigate({ search: ({ step }) => ({ step }) })}>
            Send another one
          </Button>
        </Group>
      )}
    </>
  );
}

function NoCredits({ tenantId }: { tenantId: string }) {
  return (
    <Notice kind="warning" title="No credits yet">
      <Text size="sm">
        Every document costs 1 credit, even in the sandbox.{' '}
        <Anchor href={`/dashboard/o/${tenantId}/credits`} inherit underline="always">
          Order credits
        </Anchor>{' '}
        first. Return here when the payment has been confirmed.
      </Text>
    </Notice>
  );
}

export function AllDone({ organisation: { tenantId } }: { organisation: OrganisationDetails }) {
  const { environments } = useSession();
  return (
    <Stack gap="sm">
      <Notice kind="good" title="You are ready">
        <Text size="sm">
          Your first document is valid. For production, appoint us there as well. After the operator has verified you
          there, create a production key.
        </Text>
      </Notice>
      <Group>
        {environments.includes('production') && (
          <ButtonLink to="/o/$tenantId/profile" params={{ tenantId }} variant="default">
            Check the appointment in production
          </ButtonLink>
        )}
        <ButtonLink to="/o/$tenantId/$environment/send" params={{ tenantId, environment: TRIAL_ENVIRONMENT }}>
          Send another invoice
        </ButtonLink>
      </Group>
    </Stack>
  );
}
