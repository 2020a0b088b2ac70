import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { type AuditFilters, readAuditFilters } from '../../parts/audit/search';
import { type Paging, readPaging } from '../../parts/paging';
import { operatorRoute } from '../../routes';

export const organisationsRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: 'organisations',
  validateSearch: (search): Paging & { search?: string } => ({
    ...readPaging(search),
    ...readTexts(search, ['search']),
  }),
  component: lazyRouteComponent(() => import('./organisations.page'), 'OrganisationsPage'),
});

export const ordersRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: 'orders',
  validateSearch: (search): Paging & { status?: 'decided' } => ({
    ...readPaging(search),
    ...(search.status === 'decided' && { status: 'decided' as const }),
  }),
  component: lazyRouteComponent(() => import('./orders.page'), 'OrdersPage'),
});

export const verificationsRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: 'verifications',
  validateSearch: (search): Paging & { status?: 'all' } => ({
    ...readPaging(search),
    ...(search.status === 'all' && { status: 'all' as const }),
  }),
  component: lazyRouteComponent(() => import('./verifications.page'), 'VerificationsPage'),
});

export const queueRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: 'queue',
  component: lazyRouteComponent(() => import('./queue.page'), 'QueuePage'),
});

export const inDoubtRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: 'in-doubt',
  component: lazyRouteComponent(() => import('./in-doubt.page'), 'InDoubtPage'),
});

export const authorityRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: 'authority',
  component: lazyRouteComponent(() => import('./authority.page'), 'AuthorityPage'),
});

export const operatorAuditRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: 'audit',
  validateSearch: (search): Paging & AuditFilters & { tenantId?: string } => ({
    ...readPaging(search),
    ...readAuditFilters(search),
    ...readTexts(search, ['tenantId']),
  }),
  component: lazyRouteComponent(() => import('./audit.page'), 'OperatorAuditPage'),
});

function readTexts<Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const texts: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') texts[name] = value;
  }
  return texts;
}
