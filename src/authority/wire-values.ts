/** What `JSON.parse` gives for an object; nothing about its members is known. */
export type WireObject = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A member by its name in any case: the authority writes `submissionUID` on its pages and `submissionUid` on the wire,
 * and so for others. The exact name wins.
 */
export function readMember(node: WireObject, name: string): unknown {
  if (Object.hasOwn(node, name)) return node[name];
  const wanted = name.toLowerCase();
  const key = Object.keys(node).find((candidate) => candidate.toLowerCase() === wanted);
  return key === undefined ? undefined : node[key];
}

/** A text that says something, trimmed, or null; numbers count as their text, since codes come as both. */
export function readText(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return null;
  const trimmed = value.trim();
  return trimmed === '' ? null : trimmed;
}

export function list(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

/** A count or a number of seconds, also when it is written as a text; null when it is neither. */
export function wholeNumber(value: unknown): number | null {
  const written = readText(value);
  return written !== null && /^\d{1,15}$/.test(written) ? Number(written) : null;
}

// Years 1 and 9999 are defaults of the authority's platform.
const EARLIEST_YEAR = 2000;
const LATEST_YEAR = 9998;

/** Reads an instant in UTC, with or without a fraction; a missing time zone means UTC. */
export function readInstant(value: unknown): Date | null {
  const written = readText(value);
  if (written === null || !/^\d{4}-\d{2}-\d{2}T/.test(written)) return null;
  const date = new Date(/(?:Z|[+-]\d{2}:\d{2})$/i.test(written) ? written : `${written}Z`);
  const year = date.getUTCFullYear();
  return year >= EARLIEST_YEAR && year <= LATEST_YEAR ? date : null;
}

/** The nested findings of an error node: one or many, under whichever name. */
export function listChildren(node: WireObject): readonly unknown[] {
  return ['error', 'details', 'innerError', 'innerErrors'].flatMap((name) => {
    const value = readMember(node, name);
    return isRecord(value) ? [value] : (list(value) ?? []);
  });
}
