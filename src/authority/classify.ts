import { errorsOf, errorsOrFallback } from './authority-errors.js';
import type { AuthorityApi } from './call-limits.js';
import type {
  CancelAnswered,
  CancelRefused,
  DetailsAnswered,
  Forbidden,
  ProbeAnswered,
  RawAnswered,
  ReadFailure,
  SearchAnswered,
  SubmissionAnswered,
  SubmitAnswered,
  Throttled,
  TinAnswered,
  Unauthorized,
  Unavailable,
  Unknown,
} from './outcomes.js';
import { retryAfterSecondsOf, THROTTLED_SECONDS } from './retry-after.js';
import { refusedPartyOf } from './supplier-refusal.js';
import type { Answer, Ending, NotSent } from './transport.js';
import {
  readDetails,
  readRaw,
  readSearchPage,
  readStateChange,
  readSubmission,
  readSubmitAnswer,
  type SubmitAnswer,
} from './wire.js';
import { isRecord } from './wire-values.js';

// The authority's duplicate rule holds for ten minutes.
const DUPLICATE_SECONDS = 600;

/**
 * A submit (authority documentation: submit documents, standard errors).
 * @param referenceIds every number in the call; an answer that does not account for all of them decides nothing
 */
export function classifySubmit(ending: Ending, referenceIds: readonly string[]): SubmitAnswered {
  if (ending.kind === 'not-sent') return notSent(ending);
  if (ending.kind === 'no-answer') return unknown(ending.reason);
  if (isSuccess(ending)) return acceptedOrUnknown(ending, referenceIds);
  return notTakenOf(ending, 'submit') ?? refusedSubmit(ending);
}

/** A submit without documents, made while submits fail: the API refuses it, and thereby shows that it works again. */
export function classifyProbe(ending: Ending): ProbeAnswered {
  const outcome = classifySubmit(ending, []);
  const isSilent = outcome.kind === 'unavailable' || outcome.kind === 'unknown' || outcome.kind === 'throttled';
  return isSilent ? outcome : { kind: 'reachable' };
}

function refusedSubmit(answer: Answer): SubmitAnswered {
  switch (answer.status) {
    case 400:
    case 413:
      return refusedAsAWhole(answer);
    case 404:
    case 405:
      // No such operation at this address: our setting or their routing is wrong, no document is.
      return edge(answer);
    case 422:
      return { kind: 'duplicate', retryAfterSeconds: retryAfterSecondsOf(answer) ?? DUPLICATE_SECONDS };
    default:
      // 5xx may be an answer of the API after it took the documents, also 503 and 504; a redirect or anything else
      // that is not published says nothing. The price of a wrong guess here is a tax document sent twice.
      return unknown(statusText(answer));
  }
}

function refusedAsAWhole(answer: Answer): SubmitAnswered {
  const errors = errorsOrFallback(answer.body, statusText(answer));
  switch (refusedPartyOf(errors)) {
    case 'permission':
      return { kind: 'forbidden', errors };
    case 'supplier':
      return { kind: 'supplier-refused', errors };
    case null:
      return { kind: 'refused', status: answer.status, errors };
  }
}

function acceptedOrUnknown(answer: Answer, referenceIds: readonly string[]): SubmitAnswered {
  const submitted = readSubmitAnswer(answer.body);
  if (submitted === null) return unknown(`unreadable answer with status ${answer.status}`);
  if (!accountsFor(submitted, referenceIds)) {
    return unknown(`the answer with status ${answer.status} does not account for every document`);
  }
  return { kind: 'accepted', ...submitted };
}

/** Every number exactly once, no other number, no authority uuid twice, and a submission to look at if any was taken. */
function accountsFor({ submissionUid, accepted, rejected }: SubmitAnswer, referenceIds: readonly string[]): boolean {
  if (accepted.length > 0 && submissionUid === null) return false;
  if (new Set(accepted.map((document) => document.authorityUuid)).size < accepted.length) return false;
  const answered = [...accepted, ...rejected].map((document) => document.referenceId);
  const isAnswered = new Set(answered);
  return answered.length === referenceIds.length && referenceIds.every((referenceId) => isAnswered.has(referenceId));
}

export function classifySubmission(ending: Ending): SubmissionAnswered {
  if (ending.kind === 'answer' && ending.status === 404 && !isEdgePage(ending)) return { kind: 'not-yet' };
  return classifyRead(ending, 'getSubmission', (body) => {
    const documents = readSubmission(body);
    return documents && { kind: 'found', documents };
  });
}

export function classifyDetails(ending: Ending): DetailsAnswered {
  if (ending.kind === 'answer' && ending.status === 404 && !isEdgePage(ending)) return { kind: 'not-found' };
  return classifyRead(ending, 'details', (body) => {
    const details = readDetails(body);
    return details && { kind: 'found', ...details };
  });
}

export function classifyRaw(ending: Ending): RawAnswered {
  if (ending.kind === 'answer' && ending.status === 404 && !isEdgePage(ending)) return { kind: 'not-found' };
  return classifyRead(ending, 'raw', (body) => {
    const text = readRaw(body);
    return text === null ? null : { kind: 'found', text };
  });
}

export function classifySearch(ending: Ending): SearchAnswered {
  return classifyRead(ending, 'search', (body) => {
    const page = readSearchPage(body);
    return page && { kind: 'page', ...page };
  });
}

/** A read may be repeated whatever happened, so everything without an answer to act on is `unavailable`. */
function classifyRead<Found>(
  ending: Ending,
  api: AuthorityApi,
  read: (body: unknown) => Found | null,
): Found | ReadFailure {
  if (ending.kind === 'not-sent') return notSent(ending);
  if (ending.kind === 'no-answer') return withoutAnswer(ending.reason);
  if (isSuccess(ending)) return read(ending.body) ?? withoutAnswer(`unreadable answer with status ${ending.status}`);
  const notTaken = notTakenOf(ending, api);
  if (notTaken !== null) return notTaken;
  const isRefused = ending.status === 400 || ending.status === 404;
  if (isRefused) return { kind: 'refused', errors: errorsOrFallback(ending.body, statusText(ending)) };
  return withoutAnswer(statusText(ending), retryAfterSecondsOf(ending));
}

/** A cancellation: repeated only after a look at the details when it is `unknown` (authority documentation: cancel). */
export function classifyCancel(ending: Ending): CancelAnswered {
  if (ending.kind === 'not-sent') return notSent(ending);
  if (ending.kind === 'no-answer') return unknown(ending.reason);
  if (isSuccess(ending)) return cancelledOrRefused(ending);
  const notTaken = notTakenOf(ending, 'cancel');
  if (notTaken !== null) return notTaken;
  const isRefused = ending.status === 400 || ending.status === 404;
  return isRefused ? cancelRefused(ending) : unknown(statusText(ending));
}

// A 200 with an error block was seen in practice: the body decides.
function cancelledOrRefused(answer: Answer): CancelAnswered {
  const change = readStateChange(answer.body);
  if (change === null) return unknown(`unreadable answer with status ${answer.status}`);
  if (change.errors.length > 0) return cancelRefused(answer);
  if (change.status === 'Cancelled') return { kind: 'cancelled' };
  return unknown(`the answer with status ${answer.status} does not say Cancelled`);
}

const CANCEL_CODES: ReadonlySet<string> = new Set([
  'OperationPeriodOver',
  'IncorrectState',
  'ActiveReferencingDocuments',
]);

function cancelRefused(answer: Answer): CancelRefused {
  const body = isRecord(answer.body) ? answer.body : {};
  const errors = errorsOrFallback(body, statusText(answer));
  // The code was seen in `error.code` and in `error.details[].code`; a known one in either place is the reason.
  const outer = errorsOf({ error: withoutDetails(body.error) });
  const reason = [...errors, ...outer].find(({ code }) => code !== null && CANCEL_CODES.has(code)) ?? errors[0];
  return { kind: 'refused', code: reason.code, message: reason.message, errors };
}

function withoutDetails(error: unknown): unknown {
  return isRecord(error) ? { ...error, details: null, innerError: null } : error;
}

/** A TIN check (D10). Only the authority's own words are a verdict; a page of the edge is none, whatever its status. */
export function classifyTin(ending: Ending): TinAnswered {
  if (ending.kind === 'not-sent') return notSent(ending);
  if (ending.kind === 'no-answer') return withoutAnswer(ending.reason);
  const notTaken = notTakenOf(ending, 'validateTin');
  if (notTaken !== null) return notTaken;
  switch (ending.status) {
    case 200:
    case 204:
      // The answer is empty; a page with 200 is somebody else's.
      return isHtml(ending) ? withoutAnswer('a page instead of an answer') : { kind: 'valid' };
    case 400:
    case 404:
      return { kind: 'invalid' };
    default:
      return withoutAnswer(statusText(ending), retryAfterSecondsOf(ending));
  }
}

/** The statuses that mean the same for every operation: the call was not taken. Null for the others. */
function notTakenOf(answer: Answer, api: AuthorityApi): Unauthorized | Forbidden | Throttled | Unavailable | null {
  switch (answer.status) {
    case 401:
      return { kind: 'unauthorized' };
    case 403:
      return forbiddenOrEdge(answer);
    case 429:
      return throttled(answer, api);
    default:
      return isEdgePage(answer) ? edge(answer) : null;
  }
}

/** Limits are counted at a gateway: a 429 is not taken, whatever its body looks like. */
export function throttled(answer: Answer, api: AuthorityApi): Throttled {
  return { kind: 'throttled', api, retryAfterSeconds: retryAfterSecondsOf(answer) ?? THROTTLED_SECONDS };
}

export function notSent(ending: NotSent): Unavailable {
  return { kind: 'unavailable', cause: 'not-sent', reason: ending.reason, retryAfterSeconds: null };
}

export function edge(answer: Answer): Unavailable {
  const retryAfterSeconds = retryAfterSecondsOf(answer);
  return { kind: 'unavailable', cause: 'edge', reason: statusText(answer), retryAfterSeconds };
}

export function withoutAnswer(reason: string, retryAfterSeconds: number | null = null): Unavailable {
  return { kind: 'unavailable', cause: 'answer', reason, retryAfterSeconds };
}

// Statuses that maintenance and firewall pages come with, seen or likely. Such a page stands before the API. With 5xx it
// may also come after it, from a gateway that lost patience, and with any other status it proves nothing.
const EDGE_STATUSES: ReadonlySet<number> = new Set([400, 403, 404, 405]);

function isEdgePage(answer: Answer): boolean {
  return EDGE_STATUSES.has(answer.status) && isHtml(answer);
}

export function isHtml(answer: Answer): boolean {
  return /\bhtml\b/i.test(answer.headers['content-type'] ?? '') || answer.text.trimStart().startsWith('<');
}

// The API answers in JSON; what is neither that nor a page came from something else on the way.
function forbiddenOrEdge(answer: Answer): Forbidden | Unavailable {
  if (!isRecord(answer.body)) return edge(answer);
  return { kind: 'forbidden', errors: errorsOrFallback(answer.body, statusText(answer)) };
}

export function isSuccess(answer: Answer): boolean {
  return answer.status >= 200 && answer.status < 300;
}

function unknown(reason: string): Unknown {
  return { kind: 'unknown', reason };
}

export function statusText(answer: Answer): string {
  return `the authority answered with status ${answer.status}`;
}
