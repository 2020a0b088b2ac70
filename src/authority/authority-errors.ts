import { listChildren, isRecord, readMember, readText, type WireObject } from './wire-values.js';

/** One finding of the authority, in its English words. */
export interface AuthorityError {
  /** Such as `CF321`; null where the authority gives none, as for structure failures. */
  readonly code: string | null;
  readonly message: string;
  /** Where in the document or the request, in the authority's own notation. */
  readonly path: string | null;
  /** Only of an entry that stands for findings beyond the limit: how many. */
  readonly leftOut?: number;
}

// Real trees are two or three levels deep and hold tens of findings; these bound what a broken response can cost us.
const DEPTH_MAX = 8;
const ERRORS_MAX = 200;
const MESSAGE_CHARACTERS_MAX = 2_000;
const PATH_CHARACTERS_MAX = 500;

/**
 * The findings of an error body, whichever of the authority's four shapes it has: nested findings of validation
 * (`errorCode`, `innerError`), errors of the API (`error: {code, details}`), of the login (`error`,
 * `error_description`) and of the gateway (`statusCode`, `message`). Any of them may be a text in place of an object.
 * The deepest entries count: outer codes are not stable. Empty when the body holds none. The last entry states how many
 * were left out, if any.
 */
export function readErrors(body: unknown): AuthorityError[] {
  const found: AuthorityError[] = [];
  const leftOut = collect(body, found, 0);
  if (leftOut > 0) found.push({ code: null, message: `and ${leftOut} more errors`, path: null, leftOut });
  return found;
}

/** As `readErrors`, but never empty: a refusal without a readable reason is still a refusal. */
export function errorsOrFallback(body: unknown, fallback: string): AuthorityError[] {
  const found = readErrors(body);
  return found.length > 0 ? found : [{ code: null, message: fallback, path: null }];
}

/** Adds the errors of a node. Returns how many it left out because there were too many. */
function collect(node: unknown, found: AuthorityError[], depth: number): number {
  if (depth > DEPTH_MAX) return 0;
  const before = found.length;
  let leftOut = 0;
  if (isRecord(node)) for (const child of listChildren(node)) leftOut += collect(child, found, depth + 1);
  if (found.length > before || leftOut > 0) return leftOut;
  const own = isRecord(node) ? ownError(node) : errorInWords(node);
  if (own === null) return 0;
  if (found.length >= ERRORS_MAX) return 1;
  if (!found.some((other) => isSame(other, own))) found.push(own);
  return 0;
}

/** An error that is a text and no object: all that there is of it. */
function errorInWords(node: unknown): AuthorityError | null {
  const message = typeof node === 'string' ? readText(node) : null;
  return message === null ? null : { code: null, message: message.slice(0, MESSAGE_CHARACTERS_MAX), path: null };
}

function ownError(node: WireObject): AuthorityError | null {
  const { code, message } = isLoginError(node) ? loginError(node) : namedError(node);
  if (code === null && message === null) return null;
  return {
    code,
    message: (message ?? code ?? '').slice(0, MESSAGE_CHARACTERS_MAX),
    path: readPath(node)?.slice(0, PATH_CHARACTERS_MAX) ?? null,
  };
}

function namedError(node: WireObject): { code: string | null; message: string | null } {
  return {
    code:
      readText(readMember(node, 'errorCode')) ??
      readText(readMember(node, 'code')) ??
      readText(readMember(node, 'statusCode')),
    message:
      ['details', 'innerError', 'error', 'message'].map((name) => readText(readMember(node, name))).find(isText) ??
      null,
  };
}

function isText(written: string | null): written is string {
  return written !== null;
}

// In the login's shape `error` is the code; in a validation finding it is the English text next to an `errorCode`.
function isLoginError(node: WireObject): boolean {
  return (
    readText(readMember(node, 'error')) !== null && !['errorCode', 'innerError', 'code'].some((name) => has(node, name))
  );
}

function loginError(node: WireObject): { code: string | null; message: string | null } {
  const error = readText(readMember(node, 'error'));
  const description = readText(readMember(node, 'error_description'));
  // A sentence is no code.
  const code = error !== null && /^[\w.-]+$/.test(error) ? error : null;
  return { code, message: description ?? readText(readMember(node, 'message')) ?? error };
}

function has(node: WireObject, name: string): boolean {
  return readMember(node, name) !== undefined;
}

function readPath(node: WireObject): string | null {
  return (
    readText(readMember(node, 'propertyPath')) ??
    readText(readMember(node, 'target')) ??
    readText(readMember(node, 'propertyName'))
  );
}

function isSame(a: AuthorityError, b: AuthorityError): boolean {
  return a.code === b.code && a.message === b.message && a.path === b.path;
}
