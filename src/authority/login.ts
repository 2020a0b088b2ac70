import type { AuthoritySettings } from '../config/configuration.js';
import type { Environment } from '../config/environment.js';
import { type AuthorityError, errorsOrFallback } from './authority-errors.js';
import { toEdgeFailure, isHtml, isSuccess, toNotSent, describeStatus, toThrottled, toNoResponse } from './classify.js';
import type { LoginFailure } from './outcomes.js';
import { readDate } from './authority-clock.js';
import { readRetryAfterSeconds } from './retry-after.js';
import type { AuthorityResponse, Ending } from './ending.js';
import type { TransportRequest } from './transport.js';
import { type IssuedToken, readToken } from './wire.js';

/** A refusal that may concern our credentials or the taxpayer. Other taxpayers' logins show which one. */
interface LoginAmbiguous {
  readonly kind: 'login-doubted';
  readonly errors: readonly AuthorityError[];
}

export interface Login extends IssuedToken {
  /** Time on the authority's clock, in whole seconds. Null if the response does not state it. */
  readonly issuedAt: Date | null;
}

export type LoginResult = ({ readonly kind: 'token' } & Login) | LoginFailure | LoginAmbiguous;

/** Builds a login request. Without `onBehalfOf`, the login is for no taxpayer. */
export function buildLogin(
  environment: Environment,
  { clientId, clientSecret }: AuthoritySettings,
  deadlineMs: number,
  onBehalfOf?: string,
): TransportRequest {
  const form = new URLSearchParams({
    client_id: clientId,
    client_secret: clientSecret,
    grant_type: 'client_credentials',
    scope: 'InvoicingAPI',
  });
  return {
    environment,
    api: 'login',
    host: 'identity',
    method: 'POST',
    path: '/connect/token',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      ...(onBehalfOf === undefined ? {} : { onbehalfof: onBehalfOf }),
    },
    body: Buffer.from(form.toString(), 'utf8'),
    deadlineAt: performance.now() + deadlineMs,
  };
}

/** Classifies a login on behalf (authority documentation: login as intermediary). */
export function classifyLogin(ending: Ending): LoginResult {
  if (ending.kind === 'not-sent') return toNotSent(ending);
  if (ending.kind === 'no-response') return toNoResponse(ending.reason);
  const { status } = ending;
  if (status === 429) return toThrottled(ending, 'login');
  if (isSuccess(ending)) {
    const token = readToken(ending.body);
    return token
      ? { kind: 'token', ...token, issuedAt: readDate(ending) }
      : toNoResponse(`${describeStatus(ending)}, which has no token`);
  }
  // Treats 408 as a timeout and not as a refusal, although it is a client error.
  const isRefused = status >= 400 && status < 500 && status !== 408;
  if (!isRefused) return toNoResponse(describeStatus(ending), readRetryAfterSeconds(ending));
  return isHtml(ending) ? toEdgeFailure(ending) : refusedLogin(ending);
}

// Codes for a client that may not log in, or not in this way, including the authority's British spelling.
const AMBIGUOUS_CODES: ReadonlySet<string> = new Set([
  'unauthorised_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
]);

// The authority does not publish its response for a taxpayer who has not appointed the intermediary. A refusal is
// therefore treated as a missing appointment unless it concerns, or may concern, our own credentials. For a wrong
// client id or secret, the authority's FAQ gives 403, and OAuth gives 401.
function refusedLogin(response: AuthorityResponse): LoginResult {
  const errors = errorsOrFallback(response.body, describeStatus(response));
  const codes = errors.map(({ code }) => code);
  if (codes.includes('invalid_client')) return { kind: 'client-refused' };
  const isSilent = response.status === 401 && codes.every((code) => code === null);
  const isDoubtful = response.status === 403 || isSilent || codes.some((code) => AMBIGUOUS_CODES.has(code ?? ''));
  return { kind: isDoubtful ? 'login-doubted' : 'not-appointed', errors };
}

// Excludes free text from the log because it may quote the request.
const CODE_SHAPE = /^[\w.-]{1,64}$/;

export function describeLoginFailure(outcome: Exclude<LoginResult, { kind: 'token' }>): string {
  switch (outcome.kind) {
    case 'unavailable':
      return outcome.reason;
    case 'throttled':
      return `the authority asks for a pause of ${outcome.retryAfterSeconds} s`;
    case 'client-refused':
      return 'the authority refuses our client id or secret';
    case 'not-appointed':
    case 'login-doubted': {
      const codes = outcome.errors.map(({ code }) => code).filter((code) => code !== null && CODE_SHAPE.test(code));
      return codes.length > 0 ? `the authority states ${codes.join(', ')}` : 'the authority states no code';
    }
  }
}
