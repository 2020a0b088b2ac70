import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap, client } from '../../api/client';
import { type Column, DataTable } from '../../parts/data-table';
import { EmptyState } from '../../parts/empty-state';
import { formatEnvironment } from '../../parts/format';
import { VerificationBadge } from '../../parts/organisation/verification';
import { Page } from '../../parts/page';
import { getCursor } from '../../parts/paging';
import { type EnvironmentEvidence, type Evidence, RefuseDialog, VerifyDialog } from './verification-dialogs';

const COLUMNS: readonly Column<Evidence>[] = [
  {
    header: 'Organisation',
    cell: ({ name, tenantId, signUpEmail }) => (
      <>
        <Text size="sm" fw={500}>
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {signUpEmail === null ? 'Created by an operator' : `Signed up as ${signUpEmail} (not confirmed)`}
        </Text>
        <Text size="xs" c="dimmed" ff="monospace" style={{ whiteSpace: 'nowrap' }}>
          {tenantId}
        </Text>
      </>
    ),
  },
  {
    header: 'TIN and registration',
    cell: ({ tin, idType, idValue }) => (
      <>
        <Text size="sm">{tin ?? 'No TIN'}</Text>
        <Text size="sm">{idType === null ? 'No id' : `${idType} ${idValue}`}</Text>
      </>
    ),
  },
  {
    header: 'Others with this TIN',
    cell: ({ others }) =>
      others.length === 0 ? (
        'None'
      ) : (
        <Stack gap={4} miw={180}>
          {others.map(({ tenantId, name, idType, idValue, sandbox, production }) => (
            <Text size="xs" key={tenantId}>
              <b>{name}</b>, {idType === null ? 'no id' : `${idType} ${idValue}`}, sandbox {sandbox}, production{' '}
              {production}
            </Text>
          ))}
        </Stack>
      ),
  },
];

interface Deciding {
  how: 'verify' | 'refuse';
  evidence: Evidence;
  of: EnvironmentEvidence;
}

const route = getRouteApi('/signed-in/operator/verifications');

/** Lets operators decide which organisation may send documents for which TIN. */
export function VerificationsPage() {
  const { status = 'open', ...paging } = route.useSearch();
  const navigate = route.useNavigate();
  const [deciding, setDeciding] = useState<Deciding | null>(null);
  const cursor = getCursor(paging);
  const query = useQuery({
    queryKey: ['operator', 'verifications', status, cursor],
    queryFn: () =>
      unwrap(client.GET('/api/dashboard/operator/verifications', { params: { query: { status, cursor } } })),
    placeholderData: keepPreviousData,
  });
  const filter = status === 'all' ? { status } : {};
  const close = () => setDeciding(null);
  return (
    <Page title="Verifications">
      <Text c="dimmed" size="sm" maw={760}>
        Anyone can sign up and enter a TIN. Verify an organisation only when you know that the TIN is its own, for
        example by its registration papers and a call to the company. The sandbox verifies automatically unless the TIN
        is verified for another organisation.
      </Text>
      <DataTable
        label="Verifications"
        columns={[...COLUMNS, environmentColumn('sandbox', setDeciding), environmentColumn('production', setDeciding)]}
        query={query}
        rowKey={({ tenantId }) => tenantId}
        filters={
          <SegmentedControl
            aria-label="Which organisations"
            value={status}
            onChange={(value) => void navigate({ search: value === 'all' ? { status: value } : {} })}
            data={[
              { value: 'open', label: 'To decide' },
              { value: 'all', label: 'All' },
            ]}
          />
        }
        empty={<EmptyState title="Nothing to decide" text="Organisations that wait for verification appear here." />}
        paging={paging}
        onPaging={(pages) => void navigate({ search: { ...filter, ...pages } })}
      />
      {deciding?.how === 'verify' && <VerifyDialog {...deciding} onClose={close} />}
      {deciding?.how === 'refuse' && <RefuseDialog {...deciding} onClose={close} />}
    </Page>
  );
}

function environmentColumn(
  environment: EnvironmentEvidence['environment'],
  onDecide: (deciding: Deciding) => void,
): Column<Evidence> {
  return {
    header: formatEnvironment(environment),
    cell: (evidence) =>
      evidence.environments
        .filter((each) => each.environment === environment)
        .map((of) => <EnvironmentVerification key={environment} evidence={evidence} of={of} onDecide={onDecide} />),
  };
}

interface EnvironmentVerificationProps {
  evidence: Evidence;
  of: EnvironmentEvidence;
  onDecide: (deciding: Deciding) => void;
}

function EnvironmentVerification({ evidence, of, onDecide }: EnvironmentVerificationProps) {
  const { environment, status, isShared, reason } = of;
  const environmentName = formatEnvironment(environment).toLowerCase();
  const canDecide = evidence.tin !== null && evidence.idType !== null;
  return (
    <Stack gap={6} miw={190} align="flex-start">
      <VerificationBadge status={status} />
      {isShared && <Text size="xs">The TIN is shared</Text>}
      {reason !== null && <Text size="xs">{reason}</Text>}
      <Text size="xs" c="dimmed">
        {describeAppointment(of)}
      </Text>
      {canDecide && (
        <Group gap="xs" wrap="nowrap">
          <Button
            size="compact-sm"
            variant={status === 'waiting' ? 'filled' : 'default'}
            aria-label={`Verify ${evidence.name} in ${environmentName}`}
            onClick={() => onDecide({ how: 'verify', evidence, of })}
          >
            Verify
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            c="var(--mantine-color-error)"
            aria-label={`Refuse ${evidence.name} in ${environmentName}`}
            onClick={() => onDecide({ how: 'refuse', evidence, of })}
          >
            Refuse
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function describeAppointment({ isAppointed, isIdConfirmed }: EnvironmentEvidence): string {
  if (isAppointed === null) return 'Appointment not checked';
  if (!isAppointed) return 'Not appointed';
  return isIdConfirmed === true ? 'Appointed, TIN and id confirmed' : 'Appointed, id not confirmed';
}
