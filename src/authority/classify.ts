import { readErrors, readErrorsOrFallback } from './authority-errors.js';
import type { AuthorityApi } from './call-limits.js';
import type {
  CancelResult,
  CancelRefused,
  DetailsResult,
  Forbidden,
  ProbeResult,
  RawResult,
  ReadFailure,
  SearchResult,
  SubmissionResult,
  SubmitResult,
  Throttled,
  TinResult,
  Unauthorized,
  Unavailable,
  Unknown,
} from './outcomes.js';
import { readRetryAfterSeconds, THROTTLED_SECONDS } from './retry-after.js';
import { findRefusedParty } from './supplier-refusal.js';
import type { AuthorityResponse, Ending, NotSent } from './ending.js';
import {
  readDetails,
  readRaw,
  readSearchPage,
  readStateChange,
  readSubmission,
  readSubmitResponse,
  type SubmitResponse,
} from './wire.js';
import { isRecord } from './wire-values.js';

const DUPLICATE_SECONDS = 600;

/** Classifies a submit. Returns `unknown` unless the response accounts for every number. */
export function classifySubmit(ending: Ending, referenceIds: readonly string[]): SubmitResult {
  if (ending.kind === 'not-sent') return toNotSent(ending);
  if (ending.kind === 'no-response') return toUnknown(ending.reason);
  if (isSuccess(ending)) return classifyAccepted(ending, referenceIds);
  return classifyNotTaken(ending, 'submit') ?? classifyRefusedSubmit(ending);
}

/** Classifies a submit without documents. Even a rejection shows that the API works. */
export function classifyProbe(ending: Ending): ProbeResult {
  const outcome = classifySubmit(ending, []);
  const isSilent = outcome.kind === 'unavailable' || outcome.kind === 'unknown' || outcome.kind === 'throttled';
  return isSilent ? outcome : { kind: 'reachable' };
}

function classifyRefusedSubmit(response: AuthorityResponse): SubmitResult {
  switch (response.status) {
    case 400:
    case 413:
      return classifyWholeRefusal(response);
    case 404:
    case 405:
      return toEdgeFailure(response);
    case 422:
      // Accepts any wait, because a wrong header delays only this call.
      return { kind: 'duplicate', retryAfterSeconds: readRetryAfterSeconds(response, Infinity) ?? DUPLICATE_SECONDS };
    default:
      // The API may have accepted the documents before a 5xx. Redirects and undocumented statuses prove nothing.
      // Guessing wrong would submit a tax document twice.
      return toUnknown(describeStatus(response));
  }
}

function classifyWholeRefusal(response: AuthorityResponse): SubmitResult {
  const errors = readErrorsOrFallback(response.body, describeStatus(response));
  switch (findRefusedParty(errors)) {
    case 'permission':
      return { kind: 'forbidden', errors };
    case 'supplier':
      return { kind: 'supplier-refused', errors };
    case null:
      return { kind: 'refused', status: response.status, errors };
  }
}

function classifyAccepted(response: AuthorityResponse, referenceIds: readonly string[]): SubmitResult {
  const submitted = readSubmitResponse(response.body);
  if (submitted === null) return toUnknown(`unreadable response with status ${response.status}`);
  if (!accountsFor(submitted, referenceIds)) {
    return toUnknown(`the response with status ${response.status} does not account for every document`);
  }
  return { kind: 'accepted', ...submitted };
}

function accountsFor({ submissionUid, accepted, rejected }: SubmitResponse, referenceIds: readonly string[]): boolean {
  if (accepted.length > 0 && submissionUid === null) return false;
  if (new Set(accepted.map((document) => document.authorityUuid)).size < accepted.length) return false;
  const references = [...accepted, ...rejected].map((document) => document.referenceId);
  const referenced = new Set(references);
  return references.length === referenceIds.length && referenceIds.every((referenceId) => referenced.has(referenceId));
}

export function classifySubmission(ending: Ending): SubmissionResult {
  if (isNotFound(ending)) return { kind: 'not-yet' };
  return classifyRead(ending, 'getSubmission', (body) => {
    const documents = readSubmission(body);
    return documents && { kind: 'found', documents };
  });
}

export function classifyDetails(ending: Ending): DetailsResult {
  if (isNotFound(ending)) return { kind: 'not-found' };
  return classifyRead(ending, 'details', (body) => {
    const details = readDetails(body);
    return details && { kind: 'found', ...details };
  });
}

export function classifyRaw(ending: Ending): RawResult {
  if (isNotFound(ending)) return { kind: 'not-found' };
  return classifyRead(ending, 'raw', (body) => {
    const text = readRaw(body);
    return text === null ? null : { kind: 'found', text };
  });
}

function isNotFound(ending: Ending): boolean {
  return ending.kind === 'response' && ending.status === 404 && !isEdgePage(ending);
}

export function classifySearch(ending: Ending): SearchResult {
  return classifyRead(ending, 'search', (body) => {
    const page = readSearchPage(body);
    return page && { kind: 'page', ...page };
  });
}

/** Classifies a read. Reads can be repeated, so every response without a result is `unavailable`. */
function classifyRead<Found>(
  ending: Ending,
  api: AuthorityApi,
  read: (body: unknown) => Found | null,
): Found | ReadFailure {
  if (ending.kind === 'not-sent') return toNotSent(ending);
  if (ending.kind === 'no-response') return toNoResponse(ending.reason);
  if (isSuccess(ending)) return read(ending.body) ?? toNoResponse(`unreadable response with status ${ending.status}`);
  const notTaken = classifyNotTaken(ending, api);
  if (notTaken !== null) return notTaken;
  const isRefused = ending.status === 400 || ending.status === 404;
  if (isRefused) return { kind: 'refused', errors: readErrorsOrFallback(ending.body, describeStatus(ending)) };
  return toNoResponse(describeStatus(ending), readRetryAfterSeconds(ending));
}

/** Classifies a cancellation. Read the document's details before repeating an `unknown` cancellation. */
export function classifyCancel(ending: Ending): CancelResult {
  if (ending.kind === 'not-sent') return toNotSent(ending);
  if (ending.kind === 'no-response') return toUnknown(ending.reason);
  if (isSuccess(ending)) return classifyCancelResponse(ending);
  const notTaken = classifyNotTaken(ending, 'cancel');
  if (notTaken !== null) return notTaken;
  const isRefused = ending.status === 400 || ending.status === 404;
  return isRefused ? buildCancelRefused(ending) : toUnknown(describeStatus(ending));
}

// A 200 with an error block has been observed, so the body takes precedence.
function classifyCancelResponse(response: AuthorityResponse): CancelResult {
  const change = readStateChange(response.body);
  if (change === null) return toUnknown(`unreadable response with status ${response.status}`);
  if (change.errors.length > 0) return buildCancelRefused(response);
  if (change.status === 'Cancelled') return { kind: 'cancelled' };
  return toUnknown(`the response with status ${response.status} does not say Cancelled`);
}

const CANCEL_CODES: ReadonlySet<string> = new Set([
  'OperationPeriodOver',
  'IncorrectState',
  'ActiveReferencingDocuments',
]);

function buildCancelRefused(response: AuthorityResponse): CancelRefused {
  const body = isRecord(response.body) ? response.body : {};
  const errors = readErrorsOrFallback(body, describeStatus(response));
  // The code has been observed in `error.code` and in `error.details[].code`.
  const outer = readErrors({ error: withoutDetails(body.error) });
  const reason = [...errors, ...outer].find(({ code }) => code !== null && CANCEL_CODES.has(code)) ?? errors[0];
  return { kind: 'refused', code: reason.code, message: reason.message, errors };
}

function withoutDetails(error: unknown): unknown {
  return isRecord(error) ? { ...error, details: null, innerError: null } : error;
}

/** Classifies a TIN check (docs/rules.md#tin-check). A response from the network edge is never a verdict. */
export function classifyTin(ending: Ending): TinResult {
  if (ending.kind === 'not-sent') return toNotSent(ending);
  if (ending.kind === 'no-response') return toNoResponse(ending.reason);
  const notTaken = classifyNotTaken(ending, 'validateTin');
  if (notTaken !== null) return notTaken;
  switch (ending.status) {
    case 200:
    case 204:
      return isHtml(ending) ? toNoResponse('a page instead of a response') : { kind: 'valid' };
    case 400:
    case 404:
      return { kind: 'invalid' };
    default:
      return toNoResponse(describeStatus(ending), readRetryAfterSeconds(ending));
  }
}

function classifyNotTaken(
  response: AuthorityResponse,
  api: AuthorityApi,
): Unauthorized | Forbidden | Throttled | Unavailable | null {
  switch (response.status) {
    case 401:
      return { kind: 'unauthorized' };
    case 403:
      return classifyForbidden(response);
    case 429:
      return toThrottled(response, api);
    default:
      return isEdgePage(response) ? toEdgeFailure(response) : null;
  }
}

/** The gateway sends 429, so the API did not process the call. */
export function toThrottled(response: AuthorityResponse, api: AuthorityApi): Throttled {
  return { kind: 'throttled', api, retryAfterSeconds: readRetryAfterSeconds(response) ?? THROTTLED_SECONDS };
}

export function toNotSent(ending: NotSent): Unavailable {
  return { kind: 'unavailable', cause: 'not-sent', reason: ending.reason, retryAfterSeconds: null };
}

export function toEdgeFailure(response: AuthorityResponse): Unavailable {
  const retryAfterSeconds = readRetryAfterSeconds(response);
  return { kind: 'unavailable', cause: 'edge', reason: describeStatus(response), retryAfterSeconds };
}

export function toNoResponse(reason: string, retryAfterSeconds: number | null = null): Unavailable {
  return { kind: 'unavailable', cause: 'response', reason, retryAfterSeconds };
}

// With these statuses, an HTML page shows that the API did not receive the call. A 5xx may be a gateway timeout while
// the API processed the call.
const EDGE_STATUSES: ReadonlySet<number> = new Set([400, 403, 404, 405]);

function isEdgePage(response: AuthorityResponse): boolean {
  return EDGE_STATUSES.has(response.status) && isHtml(response);
}

export function isHtml(response: AuthorityResponse): boolean {
  return /\bhtml\b/i.test(response.headers['content-type'] ?? '') || response.text.trimStart().startsWith('<');
}

// The API responds with JSON. Any other body comes from an intermediate server.
function classifyForbidden(response: AuthorityResponse): Forbidden | Unavailable {
  if (!isRecord(response.body)) return toEdgeFailure(response);
  return { kind: 'forbidden', errors: readErrorsOrFallback(response.body, describeStatus(response)) };
}

export function isSuccess(response: AuthorityResponse): boolean {
  return response.status >= 200 && response.status < 300;
}

function toUnknown(reason: string): Unknown {
  return { kind: 'unknown', reason };
}

export function describeStatus(response: AuthorityResponse): string {
  return `the authority responded with status ${response.status}${isHtml(response) ? ' and an HTML page' : ''}`;
}
