import { withoutEmpty } from '../address-query';

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

/** Topics of an organisation's audit log. Entries of the other topics have no organisation. */
export const ORGANISATION_TOPICS: readonly Topic[] = ['documents', 'keys', 'people', 'profile', 'credits', 'files'];

/** Filters of an audit log in the URL. */
export interface AuditFilters {
  about?: Topic;
  actor?: string;
  from?: string;
  to?: string;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Validates the search of the URL and omits invalid members. */
export function readAuditFilters(search: Record<string, unknown>): AuditFilters {
  const { about, actor, from, to } = search;
  return {
    about: (Object.keys(TOPICS) as Topic[]).find((topic) => topic === about),
    actor: typeof actor === 'string' && actor !== '' ? actor : undefined,
    from: readDay(from),
    to: readDay(to),
  };
}

/** Applies filters and returns to the first page. */
export function changeAudit<Search extends AuditFilters>(latest: Search, changed: AuditFilters): Search {
  return withoutEmpty({ ...latest, pages: undefined, ...changed });
}

function readDay(value: unknown): string | undefined {
  return typeof value === 'string' && DAY.test(value) ? value : undefined;
}
