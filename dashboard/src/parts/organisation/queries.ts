import { queryOptions } from '@tanstack/react-query';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';

export type OrganisationDetails = components['schemas']['OrganisationDto'];
export type Profile = components['schemas']['ProfileDto'];
export type Code = components['schemas']['CodeDto'];
export type CodeList = 'states' | 'countries' | 'classifications' | 'tax-types' | 'units';

export function organisationQuery(tenantId: string) {
  return queryOptions({
    queryKey: ['organisation', tenantId],
    queryFn: () => unwrap(client.GET('/api/dashboard/organisations/{tenantId}', { params: { path: { tenantId } } })),
  });
}

/** Queries a code list of the authority, which does not change while the page is open. */
export function codeListQuery(list: CodeList) {
  return queryOptions({
    queryKey: ['code-list', list],
    queryFn: () => unwrap(client.GET('/api/dashboard/code-lists/{list}', { params: { path: { list } } })),
    staleTime: Infinity,
  });
}

/** Searches industries by code or words, best match first. */
export function industriesQuery(query: string) {
  return queryOptions({
    queryKey: ['industries', query],
    queryFn: () => unwrap(client.GET('/api/dashboard/code-lists/msic', { params: { query: { query } } })),
    enabled: query !== '',
    staleTime: Infinity,
  });
}
