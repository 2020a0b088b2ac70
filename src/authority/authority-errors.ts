import { listChildren, isRecord, readMember, readText, type WireObject } from './wire-values.js';

export interface AuthorityError {
  /** For example `CF321`. Structure errors have no code. */
  readonly code: string | null;
  readonly message: string;
  readonly path: string | null;
  /** Number of omitted errors. Present only on the last entry of a truncated list. */
  readonly leftOut?: number;
}

// These limits bound the cost of a malformed response.
const DEPTH_MAX = 8;
const ERRORS_MAX = 200;
const MESSAGE_CHARACTERS_MAX = 2_000;
const PATH_CHARACTERS_MAX = 500;

/**
 * Reads errors in the authority's four formats: validation (`errorCode`, `innerError`), API (`error: {code, details}`),
 * login (`error`, `error_description`) and gateway (`statusCode`, `message`). Returns only the innermost errors,
 * because outer codes are not stable.
 */
export function readErrors(body: unknown): AuthorityError[] {
  const found: AuthorityError[] = [];
  const leftOut = collect(body, found, 0);
  if (leftOut > 0) found.push({ code: null, message: `and ${leftOut} more errors`, path: null, leftOut });
  return found;
}

export function readErrorsOrFallback(body: unknown, fallback: string): AuthorityError[] {
  const found = readErrors(body);
  return found.length > 0 ? found : [{ code: null, message: fallback, path: null }];
}

function collect(node: unknown, found: AuthorityError[], depth: number): number {
  if (depth > DEPTH_MAX) return 0;
  const before = found.length;
  let leftOut = 0;
  if (isRecord(node)) for (const child of listChildren(node)) leftOut += collect(child, found, depth + 1);
  if (found.length > before || leftOut > 0) return leftOut;
  const own = isRecord(node) ? readOwnError(node) : readTextError(node);
  if (own === null) return 0;
  if (found.length >= ERRORS_MAX) return 1;
  if (!found.some((other) => isSame(other, own))) found.push(own);
  return 0;
}

function readTextError(node: unknown): AuthorityError | null {
  const message = typeof node === 'string' ? readText(node) : null;
  return message === null ? null : { code: null, message: message.slice(0, MESSAGE_CHARACTERS_MAX), path: null };
}

function readOwnError(node: WireObject): AuthorityError | null {
  const { code, message } = isLoginError(node) ? readLoginError(node) : readNamedError(node);
  if (code === null && message === null) return null;
  return {
    code,
    message: (message ?? code ?? '').slice(0, MESSAGE_CHARACTERS_MAX),
    path: readPath(node)?.slice(0, PATH_CHARACTERS_MAX) ?? null,
  };
}

function readNamedError(node: WireObject): { code: string | null; message: string | null } {
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

// In login errors, `error` is the code. In validation errors, it is the message that accompanies `errorCode`.
function isLoginError(node: WireObject): boolean {
  return (
    readText(readMember(node, 'error')) !== null &&
    !['errorCode', 'innerError', 'code'].some((name) => hasMember(node, name))
  );
}

function readLoginError(node: WireObject): { code: string | null; message: string | null } {
  const error = readText(readMember(node, 'error'));
  const description = readText(readMember(node, 'error_description'));
  const code = error !== null && /^[\w.-]+$/.test(error) ? error : null;
  return { code, message: description ?? readText(readMember(node, 'message')) ?? error };
}

function hasMember(node: WireObject, name: string): boolean {
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
