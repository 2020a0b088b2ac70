/** Problem of one member of a request. `pointer` is a JSON pointer into the request body. */
export interface Problem {
  pointer: string;
  message: string;
  hint: string | null;
  /** Identifier of the broken rule, or the error code of an earlier attempt. */
  rule?: string;
}

interface ErrorResponse {
  message?: string;
  code?: string;
  requestId?: string;
  details?: Problem[];
}

interface FailureParts {
  /** HTTP status, or 0 if there was no response. */
  status: number;
  code: string;
  requestId?: string | null;
  problems?: readonly Problem[];
  body?: unknown;
}

/** Failed API call. The members are those of the API's error body. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly problems: readonly Problem[];
  /** Whole response body. Some error codes have further members. */
  readonly body: unknown;

  constructor(message: string, { status, code, requestId = null, problems = [], body = null }: FailureParts) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.problems = problems;
    this.body = body;
  }
}

const UNREACHABLE = 'The service did not respond. Check your connection, then try again.';
const PAGE_FAILED = 'This page failed. Reload it. If it fails again, tell us what you did.';
const UNREADABLE = 'The response did not come from the service. Try again in a minute.';

export function unreachable(): CallFailure {
  return new CallFailure(UNREACHABLE, { status: 0, code: 'unreachable' });
}

/** Accepts any body because a proxy may have sent the response. */
export function toFailure(status: number, body: unknown): CallFailure {
  const { message, code, requestId, details }: ErrorResponse = typeof body === 'object' && body !== null ? body : {};
  if (typeof message !== 'string') return new CallFailure(UNREADABLE, { status, code: 'unreadable_response' });
  return new CallFailure(message, {
    status,
    code: code ?? 'unknown',
    requestId: requestId ?? null,
    problems: Array.isArray(details) ? details.filter((problem) => typeof problem.pointer === 'string') : [],
    body,
  });
}

const PART_NOT_LOADED = 'PartNotLoaded';
const NOT_LOADED =
  'Part of the dashboard could not be loaded because the service does not respond or was updated. Your input is kept. Reload the page.';

/** Marks a failed import. The router would otherwise reload the page, which fails while the service is down. */
export function markAsNotLoaded(error: Error): void {
  error.name = PART_NOT_LOADED;
  error.message = NOT_LOADED;
}

/** Converts any thrown value to a failure. The text for a bug of the page reveals no details. */
export function asFailure(error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  if (error instanceof Error && error.name === PART_NOT_LOADED) {
    return new CallFailure(NOT_LOADED, { status: 0, code: 'part_not_loaded' });
  }
  return new CallFailure(PAGE_FAILED, { status: 0, code: 'page_failed' });
}
