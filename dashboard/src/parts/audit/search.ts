import { withoutEmpty } from '../address-query';

/** What an action is about, for the filter. */
export const TOPICS = {
  documents: 'Documents sent and cancelled',
  keys: 'API keys',
  people: 'Members and invitations',
  profile: 'Profile, TIN and limits',
  credits: 'Credits and orders',
  files: 'Downloads',
  accounts: 'Accounts and sign-ins',
  service: 'The service itself',
} as const;

export type Topic = keyof typeof TOPICS;

/** The topics of an organisation's own log; entries of the others belong to no organisation. */
export const ORGANISATION_TOPICS: readonly Topic[] = ['documents', 'keys', 'people', 'profile', 'credits', 'files'];

/** The filters of an audit log, as they stand in the address. */
export interface AuditFilters {
  about?: Topic;
  actor?: string;
  from?: string;
  to?: string;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** For a route's `validateSearch`; what cannot be read is left out. */
export function readAuditFilters(search: Record<string, unknown>): AuditFilters {
  const { about, actor, from, to } = search;
  return {
    about: (Object.keys(TOPICS) as Topic[]).find((topic) => topic === about),
    actor: typeof actor === 'string' && actor !== '' ? actor : undefined,
    from: readDay(from),
    to: readDay(to),
  };
}

/** The search of an audit log's address with other filters: its first page. */
export function changeAudit<Search extends AuditFilters>(latest: Search, changed: AuditFilters): Search {
  return withoutEmpty({ ...latest, pages: undefined, ...changed });
}

function readDay(value: unknown): string | undefined {
  return typeof value === 'string' && DAY.test(value) ? value : undefined;
}
