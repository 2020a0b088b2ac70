export type WireObject = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The authority documents `submissionUID` but sends `submissionUid`. */
export function readMember(node: WireObject, name: string): unknown {
  if (Object.hasOwn(node, name)) return node[name];
  const wanted = name.toLowerCase();
  const key = Object.keys(node).find((candidate) => candidate.toLowerCase() === wanted);
  return key === undefined ? undefined : node[key];
}

export function readText(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return null;
  const trimmed = value.trim();
  return trimmed === '' ? null : trimmed;
}

export function readList(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

export function readWholeNumber(value: unknown): number | null {
  const written = readText(value);
  return written !== null && /^\d{1,15}$/.test(written) ? Number(written) : null;
}

// The authority's platform uses the years 1 and 9999 as placeholders.
const EARLIEST_YEAR = 2000;
const LATEST_YEAR = 9998;

export function readInstant(value: unknown): Date | null {
  const written = readText(value);
  if (written === null || !/^\d{4}-\d{2}-\d{2}T/.test(written)) return null;
  const date = new Date(/(?:Z|[+-]\d{2}:\d{2})$/i.test(written) ? written : `${written}Z`);
  const year = date.getUTCFullYear();
  return year >= EARLIEST_YEAR && year <= LATEST_YEAR ? date : null;
}

export function listChildren(node: WireObject): readonly unknown[] {
  return ['error', 'details', 'innerError', 'innerErrors'].flatMap((name) => {
    const value = readMember(node, name);
    return isRecord(value) ? [value] : (readList(value) ?? []);
  });
}
