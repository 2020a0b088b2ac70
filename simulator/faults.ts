import {
  inReverse,
  withErrorsAsText,
  withLastUuid,
  withMember,
  withSwappedUuids,
  withUuidTwice,
  withoutMember,
  withoutTheLast,
} from './response-changes.js';
import { type SimulatorResponse, emptyResponse, htmlResponse, jsonResponse } from './responses.js';
import { numbersIn } from './checks/envelope.js';
import {
  apiError,
  notFound,
  submissionError,
  tinMismatch,
  tokenError,
  tooManyRequests,
  unauthorized,
} from './errors.js';
import type { FaultName } from './fault-table.js';
import { newUid } from './ids.js';
import type { ApiName } from './api-names.js';
import type { AuthorityRequest } from './requests.js';
import { type Session, toSubmitterKey } from './token-book.js';
import type { World } from './world.js';

const retrySeconds = 3;

// Larger than any response that a robust client reads into memory.
const hugeBytes = 16 * 1024 * 1024;

/** Target of the `redirect` fault. It is on this server so that the call log shows clients that follow the redirect. */
export const canaryPath = '/_canary';

const maintenancePage =
  '<html><head><title>Maintenance</title></head><body><h1>The system is under maintenance</h1></body></html>';
const timeoutPage = '<html><head><title>504</title></head><body><h1>504 Gateway Time-out</h1></body></html>';

type InsteadOfCall = (world: World, request: AuthorityRequest) => SimulatorResponse;
type AfterCall = (response: SimulatorResponse, world: World, session: Session) => SimulatorResponse;

const responsesInstead: Partial<Record<FaultName, InsteadOfCall>> = {
  'drop-before': () => ({ ...emptyResponse(500), delivery: 'cut' }),
  'http-500-before': internalError,
  'http-503': () => apiError(503, { code: 'ServiceUnavailable', message: 'The service is unavailable' }),
  'html-403': () => htmlResponse(403, maintenancePage),
  'html-503': () => htmlResponse(503, maintenancePage),
  redirect: (_world, { path }) => ({ ...emptyResponse(307), headers: { Location: canaryPath + path } }),
  '429-seconds': () => tooManyRequests(retrySeconds, { 'Retry-After': String(retrySeconds) }),
  // Uses simulator time, like every other time in a response.
  '429-date': (world) => {
    const until = new Date(world.clock.now() + retrySeconds * 1000);
    return tooManyRequests(retrySeconds, { 'Retry-After': until.toUTCString() });
  },
  '429-bare': () => tooManyRequests(retrySeconds, {}),
  // The authority's page shows this header with seven fractional digits.
  '429-reset': (world) => {
    const resetAt = new Date(world.clock.now() + retrySeconds * 1000).toISOString().replace('Z', '0000Z');
    return tooManyRequests(retrySeconds, { 'X-Rate-Limit-Reset': resetAt });
  },
  '401': unauthorized,
  'cancel-200-with-error': (_world, { parameters }) => {
    const error = { code: 'UpdateFailed', message: 'The document status could not be updated' };
    return jsonResponse(200, { uuid: parameters.uuid, status: null, error });
  },
  // The authority's FAQ states 403 for a wrong client id or secret. No captured body is public.
  'login-403': () => apiError(403, { code: 'Forbidden', message: 'The client is not allowed to log in' }),
  'login-403-empty': () => emptyResponse(403),
  'login-unauthorised-client': () => tokenError('unauthorised_client', 'The client is not authorised'),
  'tin-mismatch': tinMismatch,
  'submitter-refused': () => submissionError('The submitter has no permission to submit for this taxpayer'),
  'not-found': () => notFound('Document'),
};

const responsesAfter: Partial<Record<FaultName, AfterCall>> = {
  'drop-after': (response) => ({ ...response, delivery: 'cut' }),
  late: (response) => ({ ...response, delivery: 'late' }),
  'truncated-json': (response) => ({ ...response, delivery: 'truncated' }),
  'slow-body': (response) => ({ ...response, delivery: 'slow' }),
  'http-500-after': internalError,
  'html-504-after': () => htmlResponse(504, timeoutPage),
  // The body stays valid JSON, so that a client can only fail because of its size.
  'huge-answer': (response) => ({ ...response, body: response.body + ' '.repeat(hugeBytes) }),
  'wrong-content-type': (response) => ({ ...response, headers: { ...response.headers, 'Content-Type': 'text/html' } }),
  'partial-answer': withoutTheLast,
  'no-results': (response) => withoutMember(response, 'validationResults'),
  'error-as-text': withErrorsAsText,
  'out-of-order': inReverse,
  'duplicate-uuid': (response, world, session) => {
    return withUuidTwice(response, world.archive.submittedBy(toSubmitterKey(session)).at(-2)?.uuid);
  },
  'partial-accept': (response) => ({ ...response, delivery: 'cut' }),
  'swapped-uuids': withSwappedUuids,
  'unknown-uuid': (response) => withLastUuid(response, newUid()),
  'foreign-uuid': (response, world, session) => {
    return withLastUuid(response, world.archive.findLatestOfOthers(toSubmitterKey(session))?.uuid);
  },
  'unknown-submission-uid': (response) => withMember(response, 'submissionUid', newUid()),
  'other-submission-uid': (response, world, session) => {
    const documents = world.archive.submittedBy(toSubmitterKey(session));
    const latest = documents.at(-1)?.submissionUid;
    const other = documents.findLast(({ submissionUid }) => submissionUid !== latest)?.submissionUid;
    return withMember(response, 'submissionUid', other);
  },
};

/** Builds the response of a fault that replaces the call; undefined if the fault does not. */
export function buildFaultResponse(
  fault: FaultName,
  world: World,
  request: AuthorityRequest,
): SimulatorResponse | undefined {
  return responsesInstead[fault]?.(world, request);
}

/** Changes the response of a call as the fault requires. */
export function changeResponse(
  fault: FaultName,
  response: SimulatorResponse,
  world: World,
  session: Session,
): SimulatorResponse {
  return responsesAfter[fault]?.(response, world, session) ?? response;
}

/** Returns the document numbers of a call that fault conditions can match. */
export function findNumbers(world: World, api: ApiName, { body, parameters, query }: AuthorityRequest): string[] {
  const finders: Partial<Record<ApiName, () => (string | null | undefined)[]>> = {
    submit: () => numbersIn(body),
    getSubmission: () =>
      world.archive.findSubmission(parameters.uid ?? '')?.documents.map(({ number }) => number) ?? [],
    search: () => [query.get('searchQuery')],
  };
  const numbers = finders[api]?.() ?? [world.archive.find(parameters.uuid ?? '')?.number];
  return numbers.filter((number) => typeof number === 'string');
}

function internalError(): SimulatorResponse {
  return apiError(500, { code: 'InternalServerError', message: 'An unexpected error occurred' });
}
