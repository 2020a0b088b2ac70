import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { unwrap, client } from '../../api/client';
import type { paths } from '../../api/schema';
import { AUDIT_COLUMNS } from '../../parts/audit';
import { type Column, DataTable } from '../../parts/data-table';
import { CsvLink } from '../../parts/csv-link';
import { EmptyState } from '../../parts/empty-state';
import { Page } from '../../parts/page';
import { getCursor } from '../../parts/paging';
import { FilterForm } from './filter-form';

type Entry =
  paths['/api/dashboard/operator/audit']['get']['responses'][200]['content']['application/json']['items'][number];

const COLUMNS: readonly Column<Entry>[] = [
  ...AUDIT_COLUMNS.slice(0, 1),
  { header: 'Organisation', cell: ({ organisation }) => organisation ?? '–' },
  ...AUDIT_COLUMNS.slice(1),
];

const FIELDS = [
  { name: 'actor', label: 'Who (e-mail begins with)' },
  { name: 'action', label: 'Action begins with' },
  { name: 'tenantId', label: 'Organisation id' },
] as const;

const route = getRouteApi('/signed-in/operator/audit');

export function OperatorAuditPage() {
  const { pages, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const cursor = getCursor({ pages });
  const query = useQuery({
    queryKey: ['operator', 'audit', filters, cursor],
    queryFn: () => unwrap(client.GET('/api/dashboard/operator/audit', { params: { query: { ...filters, cursor } } })),
    placeholderData: keepPreviousData,
  });
  const parameters = new URLSearchParams(filters).toString();
  const href = `/api/dashboard/operator/audit.csv${parameters === '' ? '' : `?${parameters}`}`;
  return (
    <Page title="Audit log" actions={<CsvLink href={href} />}>
      <DataTable
        label="Audit log"
        columns={COLUMNS}
        query={query}
        rowKey={({ entryId }) => entryId}
        filters={
          <FilterForm fields={FIELDS} values={filters} onFilter={(values) => void navigate({ search: values })} />
        }
        empty={<EmptyState title="No entry here" text="No change matches these filters: clear them to see all." />}
        paging={{ pages }}
        onPaging={(paging) => void navigate({ search: { ...filters, ...paging } })}
      />
    </Page>
  );
}
