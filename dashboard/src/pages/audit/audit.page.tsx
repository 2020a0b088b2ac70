import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { unwrap, client } from '../../api/client';
import { toQuery } from '../../parts/address-query';
import { AUDIT_COLUMNS } from '../../parts/audit/columns';
import { AuditFilterInputs, toAuditQuery } from '../../parts/audit/filters';
import { changeAudit, ORGANISATION_TOPICS } from '../../parts/audit/search';
import { CsvLink } from '../../parts/csv-link';
import { DataTable } from '../../parts/data-table';
import { EmptyState } from '../../parts/empty-state';
import { Page } from '../../parts/page';
import { getCursor } from '../../parts/paging';
import { useOrganisation } from '../../shell/use-session';

const route = getRouteApi('/signed-in/o/$tenantId/audit');

export function AuditPage() {
  const { tenantId } = useOrganisation();
  const { pages, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const cursor = getCursor({ pages });
  const asked = toAuditQuery(filters);
  const query = useQuery({
    queryKey: ['audit', tenantId, filters, cursor],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/audit', {
          params: { path: { tenantId }, query: { ...asked, cursor } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const csv = `/api/dashboard/organisations/${tenantId}/audit.csv${toQuery(asked)}`;
  return (
    <Page title="Audit log" actions={<CsvLink href={csv} />}>
      <DataTable
        label="Audit log"
        columns={AUDIT_COLUMNS}
        query={query}
        rowKey={({ entryId }) => entryId}
        paging={{ pages }}
        onPaging={(paging) => void navigate({ search: { ...filters, ...paging } })}
        filters={
          <AuditFilterInputs
            topics={ORGANISATION_TOPICS}
            onChange={(changed) => void navigate({ search: (latest) => changeAudit(latest, changed), replace: true })}
          />
        }
        empty={
          <EmptyState title="No entries" text="No entry matches the filters. Remove a filter to see more entries." />
        }
      />
    </Page>
  );
}
