import { Button, Group, Paper, Skeleton, Stack, Stepper, Text, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { hasRole } from '../../api/session';
import { ErrorAlert } from '../../parts/error-alert';
import { Notice } from '../../parts/notice';
import { SECTIONS } from '../../parts/organisation/profile-fields';
import { ProfileForm } from '../../parts/organisation/profile-form';
import { type OrganisationDetails, organisationQuery } from '../../parts/organisation/queries';
import { Page } from '../../parts/page';
import { HelpLinks } from '../../shell/help-links';
import { useOrganisation } from '../../shell/use-session';
import { AllDone, AppointmentStep, InvoiceStep, KeyStep } from './last-steps';
import { findFirstOpen, STEPS, type StepName } from './steps';

const route = getRouteApi('/signed-in/o/$tenantId/onboarding');

export function OnboardingPage() {
  const { tenantId } = useOrganisation();
  const { data, error, refetch } = useQuery(organisationQuery(tenantId));
  return (
    <Page title="Getting started">
      {data === undefined && error === null && <Skeleton h={600} />}
      <ErrorAlert error={data === undefined ? error : null} onRetry={() => void refetch()} />
      {data !== undefined && <Onboarding organisation={data} />}
    </Page>
  );
}

function Onboarding({ organisation }: { organisation: OrganisationDetails }) {
  const { step } = route.useSearch();
  const navigate = route.useNavigate();
  const isNarrow = useMediaQuery('(max-width: 48em)') ?? false;
  // The page does not advance automatically when saved data completes a step.
  const [first] = useState(() => findFirstOpen(organisation));
  // The last step ends only with a valid document, even if the URL names a later step.
  const last = STEPS.length - (organisation.onboarding.hasValidSandboxDocument ? 0 : 1);
  const active = Math.min(Math.max(step === undefined ? first : step - 1, 0), last);
  const open = (index: number) => navigate({ search: (search) => ({ ...search, step: index + 1 }) });
  return (
    <Stack maw={960}>
      {isNarrow ? (
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {active < STEPS.length ? `Step ${active + 1} of ${STEPS.length}` : 'All steps'}
          </Text>
          {active > 0 && (
            <Button variant="default" size="xs" onClick={() => void open(active - 1)}>
              Back
            </Button>
          )}
        </Group>
      ) : (
        <Stepper
          active={active}
          onStepClick={(index) => void open(index)}
          size="xs"
          iconSize={28}
          styles={{ separator: { marginInline: 4 }, stepBody: { marginInlineStart: 6 } }}
        >
          {STEPS.map(({ name, label, isDone }, index) => (
            <Stepper.Step
              key={name}
              label={label}
              aria-current={STEPS[active]?.name === name ? 'step' : undefined}
              color={isDone(organisation) ? 'green' : undefined}
              // Shows the number instead of a check mark for a skipped step.
              completedIcon={isDone(organisation) ? undefined : index + 1}
            />
          ))}
        </Stepper>
      )}
      <Paper withBorder p="md">
        {active >= STEPS.length ? (
          <AllDone organisation={organisation} />
        ) : (
          <StepContent name={STEPS[active].name} organisation={organisation} onNext={() => open(active + 1)} />
        )}
      </Paper>
      <Stack gap={4}>
        <Text size="sm" c="dimmed">
          The guide explains each page of this dashboard. The API documentation explains how your systems send invoices.
        </Text>
        <HelpLinks label="Help with getting started" />
      </Stack>
    </Stack>
  );
}

interface StepContentProps {
  name: StepName;
  organisation: OrganisationDetails;
  onNext: () => unknown;
}

function StepContent({ name, organisation, onNext }: StepContentProps) {
  switch (name) {
    case 'identity':
    case 'contact':
    case 'business':
      return <ProfileStep name={name} organisation={organisation} onNext={onNext} />;
    case 'appointment':
      return <AppointmentStep organisation={organisation} onNext={onNext} />;
    case 'key':
      return <KeyStep organisation={organisation} onNext={onNext} />;
    case 'invoice':
      return <InvoiceStep organisation={organisation} />;
  }
}

const WHY: Record<keyof typeof SECTIONS, string> = {
  identity: 'The issuer of the invoices. The tax authority compares these details with its records.',
  contact: 'Your address and contact details, which are printed on every invoice.',
  business: 'Your business activity and the defaults for invoice lines.',
};

function ProfileStep({ name, organisation, onNext }: StepContentProps & { name: keyof typeof SECTIONS }) {
  const isOwner = hasRole(useOrganisation(), 'owner');
  const section = SECTIONS[name];
  return (
    <Stack>
      <Title order={2}>{section.title}</Title>
      <Text size="sm" c="dimmed">
        {WHY[name]}
      </Text>
      {!isOwner && <Notice kind="info">Only owners can complete this step. Ask an owner.</Notice>}
      <ProfileForm
        key={`${organisation.tenantId} ${name}`}
        organisation={organisation}
        section={section}
        isReadOnly={!isOwner}
        submitLabel="Save and continue"
        onSaved={onNext}
      />
    </Stack>
  );
}
