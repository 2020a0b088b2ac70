import type { IncomingHttpHeaders } from 'node:http';

/** The conditional headers of a poll (docs/rules.md#status-response). */
export interface StatusConditions {
  /** Entity tags of the client; null without the header. */
  readonly ifNoneMatch: readonly string[] | null;
  /** `Prefer: wait=N`, in seconds, at most 20; 0 without it. */
  readonly waitSeconds: number;
}

const WAIT_SECONDS_MAX = 20;

/** Parses If-None-Match and Prefer. Malformed values count as missing, as RFC 9110 and RFC 7240 require. */
export function readConditions(headers: IncomingHttpHeaders): StatusConditions {
  const tags = headers['if-none-match']?.match(/\*|(?:W\/)?"[^"]*"/g) ?? null;
  const preferences = [headers.prefer ?? []].flat().join(',');
  const [, seconds] = /(?:^|[,\s;])wait\s*=\s*"?(\d{1,6})"?/i.exec(preferences) ?? [];
  return { ifNoneMatch: tags, waitSeconds: Math.min(WAIT_SECONDS_MAX, Number(seconds ?? 0)) };
}

/** Weak comparison of entity tags. */
export function matches(ifNoneMatch: readonly string[] | null, entityTag: string): boolean {
  if (ifNoneMatch === null) return false;
  const opaque = (tag: string): string => tag.replace(/^W\//, '');
  return ifNoneMatch.some((tag) => tag === '*' || opaque(tag) === opaque(entityTag));
}
