/** Request with an unknown outcome. Its idempotency key prevents a second submission. */
export interface Attempt {
  body: string;
  idempotencyKey: string;
  at: number;
}

/** Unsent input of a form. It contains no secrets. */
export interface Draft {
  /** Changes with each save, so that a tab detects changes by other tabs. */
  revision: string;
  savedAt: number;
  /** Describes the data that the form was filled with. If it changes, the user decides whether to restore the draft. */
  basis: string;
  values: unknown;
  attempt: Attempt | null;
}

const PREFIX = 'einvoice.draft.';
// Shorter than the 30 days for which the service keeps an idempotency key.
const KEPT_MS = 28 * 24 * 3_600_000;

/** Names include the user because several users may share a browser. */
export function buildDraftName(userId: string, scope: readonly string[]): string {
  return `${PREFIX}${[userId, ...scope].join('.')}`;
}

/** Returns null if the draft is missing or unreadable, or if the browser denies access to the storage. */
export function readDraft(name: string): Draft | null {
  return parseDraft(inStorage((storage) => storage.getItem(name)));
}

export function writeDraft(name: string, draft: Draft): void {
  inStorage((storage) => storage.setItem(name, JSON.stringify(draft)));
}

export function removeDraft(name: string): void {
  inStorage((storage) => storage.removeItem(name));
}

export function countDraftsOf(userId: string): number {
  return listNames(userId).length;
}

/** Removes the drafts at sign-out because others may use the browser. */
export function removeDraftsOf(userId: string): void {
  listNames(userId).forEach(removeDraft);
}

export function removeOldDrafts(now: number): void {
  for (const name of listNames()) {
    const savedAt = readDraft(name)?.savedAt ?? 0;
    if (savedAt < now - KEPT_MS) removeDraft(name);
  }
}

/**
 * Fits stored values into the shape of the form. Unknown members are dropped, and missing members keep the value of the
 * template. Each row of a list has the shape of the template's first row, with empty values.
 */
export function fitValues<Values>(template: Values, stored: unknown): Values {
  return fit(template, stored) as Values;
}

function fit(template: unknown, stored: unknown): unknown {
  if (Array.isArray(template)) {
    if (!Array.isArray(stored) || template.length === 0) return template;
    const shape = toShape(template[0]);
    return stored.map((one) => fit(shape, one));
  }
  if (isRecord(template)) {
    if (!isRecord(stored)) return template;
    return Object.fromEntries(
      Object.entries(template).map(([name, value]) => [
        name,
        Object.hasOwn(stored, name) ? fit(value, stored[name]) : value,
      ]),
    );
  }
  // null is a cleared choice.
  return stored === null || ['string', 'number'].includes(typeof stored) ? stored : template;
}

/**
 * Empties the values of a row such as a line, because rows move and must not be filled from another row. The document
 * of a form keeps its defaults.
 */
function toShape(member: unknown): unknown {
  if (!isRecord(member) || Object.values(member).some((value) => typeof value === 'object' && value !== null))
    return member;
  return Object.fromEntries(Object.entries(member).map(([name, value]) => [name, value === null ? null : '']));
}

function parseDraft(text: string | null): Draft | null {
  try {
    const draft = JSON.parse(text ?? 'null') as Draft | null;
    return isRecord(draft) && typeof draft.revision === 'string' && typeof draft.savedAt === 'number' ? draft : null;
  } catch {
    return null;
  }
}

function listNames(userId = ''): string[] {
  const prefix = userId === '' ? PREFIX : `${PREFIX}${userId}.`;
  return inStorage((storage) => Object.keys(storage).filter((name) => name.startsWith(prefix))) ?? [];
}

/**
 * Returns null if the browser denies access to the storage or the storage is full. The input is then lost when the form
 * is closed.
 */
function inStorage<Result>(call: (storage: Storage) => Result): Result | null {
  try {
    return call(localStorage);
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
