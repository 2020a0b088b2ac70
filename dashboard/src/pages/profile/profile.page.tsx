import { Paper, Skeleton, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Environment, hasRole } from '../../api/session';
import { ErrorAlert } from '../../parts/error-alert';
import { Notice } from '../../parts/notice';
import { AppointmentCheck } from '../../parts/organisation/appointment';
import { SECTIONS } from '../../parts/organisation/profile-fields';
import { ProfileForm } from '../../parts/organisation/profile-form';
import { type OrganisationDetails, organisationQuery } from '../../parts/organisation/queries';
import { VerificationNotice } from '../../parts/organisation/verification';
import { Page } from '../../parts/page';
import { useOrganisation, useSession } from '../../shell/use-session';
import { RequestLimits } from './request-limits';

const ENVIRONMENT_TITLES: Record<Environment, string> = {
  sandbox: 'Appointment and verification in the sandbox',
  production: 'Appointment and verification in production',
};

export function ProfilePage() {
  const { tenantId } = useOrganisation();
  const { data, error, refetch } = useQuery(organisationQuery(tenantId));
  return (
    <Page title="Profile">
      {data === undefined && error === null && <Skeleton h={900} />}
      <ErrorAlert error={data === undefined ? error : null} onRetry={() => void refetch()} />
      {data !== undefined && <Profile organisation={data} />}
    </Page>
  );
}

function Profile({ organisation }: { organisation: OrganisationDetails }) {
  const membership = useOrganisation();
  const { environments } = useSession();
  const isOwner = hasRole(membership, 'owner');
  const [saved, setSaved] = useState<string | null>(null);
  return (
    <Stack maw={960}>
      {organisation.missing.length > 0 && (
        <Notice kind="warning" title="Not complete">
          Missing before you can send documents: {organisation.missing.join(', ')}.
        </Notice>
      )}
      {!isOwner && <Notice kind="info">Only owners can change the profile. Ask an owner to correct it.</Notice>}
      {Object.values(SECTIONS).map((section) => (
        <Paper withBorder p="md" key={`${membership.tenantId} ${section.title}`}>
          <Stack>
            <Title order={2}>{section.title}</Title>
            <ProfileForm
              organisation={organisation}
              section={section}
              isReadOnly={!isOwner}
              submitLabel="Save"
              note={saved === section.title ? 'Saved. The change applies to every document sent from now on.' : ''}
              onSaved={() => setSaved(section.title)}
            />
          </Stack>
        </Paper>
      ))}
      {environments.map((environment) => (
        <Paper withBorder p="md" key={environment}>
          <Stack>
            <Title order={2}>{ENVIRONMENT_TITLES[environment]}</Title>
            <AppointmentCheck
              organisation={organisation}
              environment={environment}
              mayCheck={hasRole(membership, 'member')}
            />
            <VerificationNotice organisation={organisation} environment={environment} />
          </Stack>
        </Paper>
      ))}
      <RequestLimits rateLimits={organisation.rateLimits} />
    </Stack>
  );
}
