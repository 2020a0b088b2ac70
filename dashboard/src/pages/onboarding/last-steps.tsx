import { Alert, Anchor, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheck, IconCoins } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { hasRole } from '../../api/session';
import { FollowedSubmission } from '../../parts/invoice/followed-submission';
import { InvoiceForm } from '../../parts/invoice/invoice-form';
import { sampleInvoice } from '../../parts/invoice/values';
import { ButtonLink } from '../../parts/links';
import { AppointmentCheck, AppointmentSteps } from '../../parts/organisation/appointment';
import { codeListQuery, type OrganisationDetails, organisationQuery } from '../../parts/organisation/queries';
import { useOrganisation } from '../../shell/use-session';
import { TRIAL_ENVIRONMENT } from './steps';

const route = getRouteApi('/signed-in/o/$tenantId/onboarding');

interface StepProps {
  organisation: OrganisationDetails;
  onNext: () => unknown;
}

export function AppointmentStep({ organisation, onNext }: StepProps) {
  const mayCheck = hasRole(useOrganisation(), 'member');
  return (
    <Stack>
      <Title order={2}>Appoint this service</Title>
      <Text size="sm" c="dimmed">
        The tax authority takes invoices from this service only when you have appointed it as your intermediary. You do
        that once in the sandbox, for trying, and once in production.
      </Text>
      <AppointmentSteps environment={TRIAL_ENVIRONMENT} />
      <AppointmentCheck organisation={organisation} environment={TRIAL_ENVIRONMENT} mayCheck={mayCheck} />
      <NextButton onNext={onNext} />
    </Stack>
  );
}

export function KeyStep({ organisation, onNext }: StepProps) {
  const { tenantId, onboarding } = organisation;
  return (
    <Stack>
      <Title order={2}>Your first API key</Title>
      <Text size="sm" c="dimmed">
        Your systems send invoices with a key. One of the sandbox is right to begin with; it never reaches production.
        Whoever sends by hand only needs none.
      </Text>
      {onboarding.hasSandboxKey && (
        <Alert variant="outline" color="green" icon={<IconCircleCheck />} title="There is a key of the sandbox" />
      )}
      <Group>
        <Button
          component="a"
          href={`/dashboard/o/${tenantId}/keys`}
          variant={onboarding.hasSandboxKey ? 'default' : 'filled'}
        >
          {onboarding.hasSandboxKey ? 'See the keys' : 'Make a key'}
        </Button>
      </Group>
      <NextButton onNext={onNext} />
    </Stack>
  );
}

function NextButton({ onNext }: { onNext: () => unknown }) {
  return (
    <Group>
      <Button variant="default" onClick={() => void onNext()}>
        Go on
      </Button>
    </Group>
  );
}

export function InvoiceStep({ organisation }: { organisation: OrganisationDetails }) {
  const { tenantId, profile, missing, remainingCredits } = organisation;
  const maySend = hasRole(useOrganisation(), 'member');
  const { batch } = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const states = useQuery(codeListQuery('states'));
  const refresh = useCallback(
    () => void queryClient.invalidateQueries(organisationQuery(tenantId)),
    [queryClient, tenantId],
  );
  if (states.data === undefined) return <Skeleton h={600} />;
  const slug = states.data.find(({ code }) => code === profile.stateCode)?.slug ?? '';
  return (
    <Stack>
      <Title order={2}>Your first invoice, in the sandbox</Title>
      <Text size="sm" c="dimmed">
        It is filled in with you as your own buyer, since the authority certainly knows you. It is no tax document.
      </Text>
      {batch !== undefined && (
        <>
          <FollowedSubmission
            tenantId={tenantId}
            environment={TRIAL_ENVIRONMENT}
            submissionBatchId={batch}
            onEnded={refresh}
          />
          {organisation.onboarding.hasValidSandboxDocument ? (
            <AllDone organisation={organisation} />
          ) : (
            <Group>
              <Button variant="default" onClick={() => void navigate({ search: ({ step }) => ({ step }) })}>
                Send another one
              </Button>
            </Group>
          )}
        </>
      )}
      {batch === undefined && missing.length > 0 && (
        <Alert variant="outline" color="orange" title="The profile comes first">
          It still needs: {missing.join(', ')}.
        </Alert>
      )}
      {batch === undefined && remainingCredits === 0 && <NoCredits tenantId={tenantId} />}
      {batch === undefined && missing.length === 0 && maySend && (
        <InvoiceForm
          tenantId={tenantId}
          environment={TRIAL_ENVIRONMENT}
          initialValues={sampleInvoice(profile, slug)}
          submitLabel="Send (1 credit)"
          onAccepted={async (submissionBatchId) => {
            await navigate({ search: (search) => ({ ...search, step: 6, batch: submissionBatchId }) });
          }}
        />
      )}
    </Stack>
  );
}

function NoCredits({ tenantId }: { tenantId: string }) {
  return (
    <Alert variant="outline" color="orange" icon={<IconCoins />} title="No credits yet">
      <Text size="sm">
        Every document costs 1 credit, in the sandbox too.{' '}
        <Anchor href={`/dashboard/o/${tenantId}/credits`} inherit underline="always">
          Order credits
        </Anchor>{' '}
        first; once the order is confirmed as paid, come back here.
      </Text>
    </Alert>
  );
}

export function AllDone({ organisation: { tenantId } }: { organisation: OrganisationDetails }) {
  return (
    <Stack gap="sm">
      <Alert variant="outline" color="green" icon={<IconCircleCheck />} title="You are ready">
        <Text size="sm">
          Your first document is valid. For production, appoint the service there too, and make a key of production.
        </Text>
      </Alert>
      <Group>
        <ButtonLink to="/o/$tenantId/profile" params={{ tenantId }} variant="default">
          Check the appointment in production
        </ButtonLink>
        <ButtonLink to="/o/$tenantId/$environment/send" params={{ tenantId, environment: TRIAL_ENVIRONMENT }}>
          Send another invoice
        </ButtonLink>
      </Group>
    </Stack>
  );
}
