import { Button, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';
import { Count } from '../../parts/count';
import { CsvLink } from '../../parts/csv-link';
import { type Column, DataTable } from '../../parts/data-table';
import { EmptyState } from '../../parts/empty-state';
import { Instant } from '../../parts/instant';
import { TextLink } from '../../parts/links';
import { Page } from '../../parts/page';
import { getCursor } from '../../parts/paging';
import { FilterForm } from './filter-form';
import { LimitsDialog } from './limits-dialog';

type Organisation = components['schemas']['OrganisationListingDto'];

const COLUMNS: readonly Column<Organisation>[] = [
  {
    header: 'Organisation',
    cell: ({ name, tenantId }) => (
      <>
        <Text size="sm" fw={500}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" ff="monospace" style={{ whiteSpace: 'nowrap' }}>
          {tenantId}
        </Text>
      </>
    ),
  },
  { header: 'TIN', cell: ({ tin }) => tin ?? '–' },
  { header: 'Missing in its profile', cell: ({ missing }) => (missing.length === 0 ? '–' : missing.join(', ')) },
  { header: 'Credits left', align: 'right', cell: ({ balance }) => <Count value={balance} /> },
  { header: 'Documents, 30 days', align: 'right', cell: (row) => <Count value={row.documentsLast30Days} /> },
  { header: 'Latest batch', cell: ({ lastActivityAt }) => <Instant at={lastActivityAt} /> },
  {
    header: 'Log',
    cell: ({ tenantId, name }) => (
      <TextLink
        to="/operator/audit"
        search={{ tenantId }}
        underline="always"
        style={{ whiteSpace: 'nowrap' }}
        aria-label={`Audit log of ${name}`}
      >
        Audit log
      </TextLink>
    ),
  },
];

function limitsColumn(onChange: (organisation: Organisation) => void): Column<Organisation> {
  return {
    header: 'Request limits',
    cell: (organisation) => {
      const text = Object.values(organisation.rateLimits).some((figure) => figure !== null) ? 'Custom' : 'Default';
      return (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`${text}: request limits of ${organisation.name}`}
          onClick={() => onChange(organisation)}
        >
          {text}
        </Button>
      );
    },
  };
}

const route = getRouteApi('/signed-in/operator/organisations');

export function OrganisationsPage() {
  const { search, ...paging } = route.useSearch();
  const navigate = route.useNavigate();
  const [limited, setLimited] = useState<Organisation | null>(null);
  const cursor = getCursor(paging);
  const query = useQuery({
    queryKey: ['operator', 'organisations', search, cursor],
    queryFn: () =>
      unwrap(client.GET('/api/dashboard/operator/organisations', { params: { query: { search, cursor } } })),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title="Organisations"
      actions={
        <CsvLink href={`/api/dashboard/operator/organisations.csv?search=${encodeURIComponent(search ?? '')}`} />
      }
    >
      <DataTable
        label="Organisations"
        columns={[...COLUMNS, limitsColumn(setLimited)]}
        query={query}
        rowKey={({ tenantId }) => tenantId}
        filters={
          <FilterForm
            fields={[{ name: 'search', label: 'Name, TIN or id' }]}
            values={{ search }}
            onFilter={(filters) => void navigate({ search: filters })}
          />
        }
        empty={
          <EmptyState
            title={search === undefined ? 'No organisation has signed up yet' : 'No organisation has this name'}
            text="Organisations sign up themselves or are created with the command “tenant create”."
          />
        }
        paging={paging}
        onPaging={(pages) => void navigate({ search: { search, ...pages } })}
      />
      {limited !== null && <LimitsDialog organisation={limited} onClose={() => setLimited(null)} />}
    </Page>
  );
}
