import { Button, Group, List, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Ref, useEffect, useState } from 'react';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';
import type { Environment } from '../../api/session';
import { Copyable } from '../copyable';
import { ErrorAlert } from '../error-alert';
import { Notice } from '../notice';
import { useResultFocus } from '../use-result-focus';
import { formatInstant } from '../malaysian-time';
import { type OrganisationDetails, organisationQuery } from './queries';

type Appointment = components['schemas']['AppointmentDto'];

type Intermediary = components['schemas']['IntermediaryDto'];

const PORTALS: Record<Environment, { name: string; address: string }> = {
  sandbox: { name: 'MyTax, testing environment', address: 'preprod-mytax.hasil.gov.my' },
  production: { name: 'MyTax', address: 'mytax.hasil.gov.my' },
};

interface AppointmentStepsProps {
  environment: Environment;
  /** Intermediary to appoint; null if the operator has not configured it. */
  intermediary: Intermediary | null;
}

/** Steps that the taxpayer performs in the authority's portal. */
export function AppointmentSteps({ environment, intermediary }: AppointmentStepsProps) {
  const { name, address } = PORTALS[environment];
  return (
    <List type="ordered" size="sm" spacing={4}>
      <List.Item>
        Sign in to {name} ({address}) as a director or owner, or as a representative who may change the profile.
      </List.Item>
      <List.Item>Under Role Selection choose the organisation, then MyInvois in the menu above.</List.Item>
      <List.Item>
        At the top right choose View Taxpayer Profile. If it shows another name, choose Switch Taxpayer first.
      </List.Item>
      <List.Item>Further down, under Representatives, open Intermediaries, then Add Intermediary.</List.Item>
      <List.Item>
        {intermediary === null
          ? 'Enter our TIN, BRN and company name exactly as you received them from us.'
          : 'Enter exactly these values:'}{' '}
        Then Search, and Continue.
        {intermediary !== null && <IntermediaryDetails {...intermediary} />}
      </List.Item>
      <List.Item>
        Set the longest period that the portal allows. When it ends, your invoices wait. Switch on the permissions to
        submit, cancel and view documents, then Add Intermediary.
      </List.Item>
      <List.Item>The appointment takes effect immediately. Check it here.</List.Item>
    </List>
  );
}

function IntermediaryDetails({ tin, brn, name }: Intermediary) {
  return (
    <Stack gap={4} my="xs">
      <Copyable value={tin} what="the TIN" label="TIN" />
      <Copyable value={brn} what="the BRN" label="BRN" />
      <Copyable value={name} what="the name" label="Name" />
    </Stack>
  );
}

interface AppointmentCheckProps {
  organisation: OrganisationDetails;
  environment: Environment;
  mayCheck: boolean;
}

/** Shows the state of the appointment and a button to check it. */
export function AppointmentCheck({ organisation, environment, mayCheck }: AppointmentCheckProps) {
  const { tenantId, onboarding } = organisation;
  const queryClient = useQueryClient();
  const [waitSeconds, setWaitSeconds] = useCountdown();
  const check = useMutation({
    mutationFn: () =>
      unwrap(
        client.POST('/api/dashboard/organisations/{tenantId}/{environment}/appointment-check', {
          params: { path: { tenantId, environment } },
        }),
      ),
    onSuccess: async ({ retryAfterSeconds }) => {
      setWaitSeconds(retryAfterSeconds ?? 0);
      await queryClient.invalidateQueries(organisationQuery(tenantId));
    },
  });
  const finding = useResultFocus<HTMLDivElement>(check.isPending ? null : check.data);
  const known = onboarding.appointments.find((other) => other.environment === environment);
  return (
    <Stack gap="sm" align="flex-start">
      <Group gap="sm">
        <Button
          variant={known?.isAppointed === true ? 'default' : 'filled'}
          onClick={() => check.mutate()}
          loading={check.isPending}
          disabled={!mayCheck || waitSeconds > 0}
        >
          {waitSeconds > 0 ? `Check again in ${waitSeconds} s` : 'Check the appointment'}
        </Button>
        <Text size="sm" c="dimmed">
          {describeAppointment(known)}
        </Text>
      </Group>
      <div aria-live="polite">
        {check.data !== undefined && !check.isPending && <Finding ref={finding} appointment={check.data} />}
      </div>
      <ErrorAlert error={check.error} />
    </Stack>
  );
}

function Finding({ appointment, ref }: { appointment: Appointment; ref: Ref<HTMLDivElement> }) {
  const { isAppointed, problems, authorityMessage } = appointment;
  const isFine = isAppointed === true && problems.length === 0;
  return (
    <Notice ref={ref} kind={isFine ? 'good' : 'warning'} title={buildTitle(appointment)}>
      <Stack gap="xs">
        {isFine && <Text size="sm">The authority lets us act for your TIN.</Text>}
        {problems.map(({ message, fix }) => (
          <Text size="sm" key={message}>
            <b>{message}.</b> {fix}
          </Text>
        ))}
        {authorityMessage !== null && (
          <Text size="xs" c="dimmed">
            The authority reports: {authorityMessage}
          </Text>
        )}
      </Stack>
    </Notice>
  );
}

function buildTitle({ isAppointed, problems }: Appointment): string {
  if (isAppointed === null) return 'Not checked';
  if (!isAppointed) return 'Not appointed';
  return problems.length === 0 ? 'Appointed' : 'Appointed, but something is wrong';
}

function describeAppointment(known: OrganisationDetails['onboarding']['appointments'][number] | undefined): string {
  if (known === undefined || known.checkedAt === null) return 'Not checked yet';
  return `${known.isAppointed === true ? 'Appointed' : 'Not appointed'}, as of ${formatInstant(known.checkedAt)}`;
}

/** Counts down whole seconds to zero. The setter restarts it. */
function useCountdown(): [number, (seconds: number) => void] {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    if (left <= 0) return undefined;
    const timer = setTimeout(() => setLeft(left - 1), 1_000);
    return () => clearTimeout(timer);
  }, [left]);
  return [left, (seconds) => setLeft(Math.ceil(seconds))];
}
