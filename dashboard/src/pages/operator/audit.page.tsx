import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';
import { toQuery, withoutEmpty } from '../../parts/address-query';
import { AUDIT_COLUMNS } from '../../parts/audit/columns';
import { AuditFilterInputs, toAuditQuery } from '../../parts/audit/filters';
import { changeAudit, readAuditFilters, type Topic, TOPICS } from '../../parts/audit/search';
import { type Column, DataTable } from '../../parts/data-table';
import { CsvLink } from '../../parts/csv-link';
import { EmptyState } from '../../parts/empty-state';
import { Page } from '../../parts/page';
import { getCursor } from '../../parts/paging';
import { FilterForm } from './filter-form';

type Entry = components['schemas']['OperatorAuditEntryDto'];

const COLUMNS: readonly Column<Entry>[] = [
  ...AUDIT_COLUMNS.slice(0, 1),
  { header: 'Organisation', cell: ({ organisation }) => organisation ?? '–' },
  ...AUDIT_COLUMNS.slice(1),
];

const FIELDS = [{ name: 'tenantId', label: 'Organisation id' }] as const;

const ALL_TOPICS = Object.keys(TOPICS) as Topic[];

const route = getRouteApi('/signed-in/operator/audit');

export function OperatorAuditPage() {
  const { pages, tenantId, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const cursor = getCursor({ pages });
  const asked = withoutEmpty({ ...toAuditQuery(filters), tenantId });
  const query = useQuery({
    queryKey: ['operator', 'audit', asked, cursor],
    queryFn: () => unwrap(client.GET('/api/dashboard/operator/audit', { params: { query: { ...asked, cursor } } })),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title="Audit log" actions={<CsvLink href={`/api/dashboard/operator/audit.csv${toQuery(asked)}`} />}>
      <DataTable
        label="Audit log"
        columns={COLUMNS}
        query={query}
        rowKey={({ entryId }) => entryId}
        filters={
          <>
            <AuditFilterInputs
              topics={ALL_TOPICS}
              onChange={(changed) => void navigate({ search: (latest) => changeAudit(latest, changed), replace: true })}
            />
            <FilterForm
              fields={FIELDS}
              values={withoutEmpty({ tenantId })}
              onFilter={(values) => void navigate({ search: (latest) => ({ ...readAuditFilters(latest), ...values }) })}
            />
          </>
        }
        empty={<EmptyState title="No entries" text="No entry matches the filters. Clear them to see all entries." />}
        paging={{ pages }}
        onPaging={(paging) => void navigate({ search: { ...filters, tenantId, ...paging } })}
      />
    </Page>
  );
}
