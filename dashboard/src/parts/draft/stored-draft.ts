/** A send whose outcome is not known yet: sent again with its key, it is taken once. */
export interface Attempt {
  /** The request as it was sent. */
  body: string;
  idempotencyKey: string;
  at: number;
}

/** What somebody has typed into a form and not sent. It holds what the form shows and no secret. */
export interface Draft {
  /** Another one after each save, by which a tab sees that another tab has saved. */
  revision: string;
  savedAt: number;
  /** What the form was filled from; a draft of other values is not restored without being asked for. */
  basis: string;
  values: unknown;
  attempt: Attempt | null;
}

const PREFIX = 'einvoice.draft.';
// Shorter than the 30 days for which the service knows an idempotency key.
const KEPT_MS = 28 * 24 * 3_600_000;

/** Drafts belong to one person: another user of the same browser has other names. */
export function buildDraftName(userId: string, scope: readonly string[]): string {
  return `${PREFIX}${[userId, ...scope].join('.')}`;
}

/** The draft of that name; null when there is none, when it cannot be read, and when the browser refuses storage. */
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

/** For a sign-out: what its user typed is not left in a browser that others use too. */
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
 * The stored values in the shape of a form: what the form no longer has is left out, what it has in addition is as in the
 * template. Members of a list have the shape of the template's first, and what a row has in addition is empty.
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
  // A choice that was cleared is null, and stays so.
  return stored === null || ['string', 'number'].includes(typeof stored) ? stored : template;
}

/**
 * Reduces a row of plain values, such as a line, to its shape, because rows move and no row is filled from another one.
 * The document of a form keeps its position and the form's proposals.
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

/** A browser may refuse storage altogether, and refuses what is too large; then a form is only kept while it is open. */
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
