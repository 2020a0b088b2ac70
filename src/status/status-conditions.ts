import type { IncomingHttpHeaders } from 'node:http';

/** What a client asks of a poll in addition to the batch (docs/rules.md#status-response). */
export interface StatusConditions {
  /** Entity tags that the client holds; null without the header. */
  readonly ifNoneMatch: readonly string[] | null;
  /** `Prefer: wait=N`, in seconds, at most 20; 0 without it. */
  readonly waitSeconds: number;
}

const WAIT_SECONDS_MAX = 20;

/** Reads If-None-Match and Prefer. What is malformed counts as absent, as RFC 9110 and RFC 7240 want it. */
export function readConditions(headers: IncomingHttpHeaders): StatusConditions {
  const tags = headers['if-none-match']?.match(/\*|(?:W\/)?"[^"]*"/g) ?? null;
  const preferences = [headers.prefer ?? []].flat().join(',');
  const [, seconds] = /(?:^|[,\s;])wait\s*=\s*"?(\d{1,6})"?/i.exec(preferences) ?? [];
  return { ifNoneMatch: tags, waitSeconds: Math.min(WAIT_SECONDS_MAX, Number(seconds ?? 0)) };
}

/** Weak comparison: whether the client holds this representation already. */
export function matches(ifNoneMatch: readonly string[] | null, entityTag: string): boolean {
  if (ifNoneMatch === null) return false;
  const opaque = (tag: string): string => tag.replace(/^W\//, '');
  return ifNoneMatch.some((tag) => tag === '*' || opaque(tag) === opaque(entityTag));
}
