import { Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { unwrap, client } from '../../api/client';
import { AUDIT_COLUMNS } from '../../parts/audit';
import { CsvLink } from '../../parts/csv-link';
import { DataTable } from '../../parts/data-table';
import { EmptyState } from '../../parts/empty-state';
import { Page } from '../../parts/page';
import { getCursor } from '../../parts/paging';
import { useOrganisation } from '../../shell/use-session';

const route = getRouteApi('/signed-in/o/$tenantId/audit');

const TYPING_MS = 300;
const ABOUT = [
  { value: 'key.', label: 'API keys' },
  { value: 'member.', label: 'Members' },
  { value: 'invitation.', label: 'Invitations' },
  { value: 'organisation.', label: 'Organisation' },
  { value: 'appointment.', label: 'Appointment' },
  { value: 'documents.', label: 'Documents' },
  { value: 'file.', label: 'Downloads' },
  { value: 'order.', label: 'Credit orders' },
];

interface Filters {
  action?: string;
  actor?: string;
}

export function AuditPage() {
  const { tenantId } = useOrganisation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { action, actor } = search;
  const cursor = getCursor(search);
  const query = useQuery({
    queryKey: ['audit', tenantId, action, actor, cursor],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/audit', {
          params: { path: { tenantId }, query: { cursor, action, actor } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  // A changed filter starts at the first page.
  const filter = (changed: Filters) =>
    void navigate({ search: { ...search, ...changed, pages: undefined }, replace: true });
  const typed = useDebouncedCallback((text: string) => filter({ actor: text.trim() || undefined }), TYPING_MS);
  return (
    <Page title="Audit log" actions={<CsvLink href={buildFileUrl(tenantId, { action, actor })} />}>
      <DataTable
        label="Audit log"
        columns={AUDIT_COLUMNS}
        query={query}
        rowKey={({ entryId }) => entryId}
        paging={search}
        onPaging={(paging) => void navigate({ search: { ...search, pages: undefined, ...paging } })}
        filters={
          <>
            <Select
              label="About"
              placeholder="Everything"
              clearable
              data={ABOUT}
              value={action ?? null}
              onChange={(value) => filter({ action: value ?? undefined })}
            />
            <TextInput
              label="Who"
              placeholder="E-mail begins with"
              defaultValue={actor}
              onChange={(event) => typed(event.currentTarget.value)}
            />
          </>
        }
        empty={<EmptyState title="Nothing was done" text="No entry matches: remove a filter, or come back later." />}
      />
    </Page>
  );
}

function buildFileUrl(tenantId: string, filters: Filters): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  return `/api/dashboard/organisations/${tenantId}/audit.csv?${new URLSearchParams(given)}`;
}
