import type { AuthoritySettings } from '../config/configuration.js';
import type { Environment } from '../config/environment.js';
import { type AuthorityError, readErrorsOrFallback } from './authority-errors.js';
import { toEdgeFailure, isHtml, isSuccess, toNotSent, describeStatus, toThrottled, toNoResponse } from './classify.js';
import type { LoginFailure } from './outcomes.js';
import { readDate } from './authority-clock.js';
import { readRetryAfterSeconds } from './retry-after.js';
import type { AuthorityResponse, Ending } from './ending.js';
import type { TransportRequest } from './transport.js';
import { type IssuedToken, readToken } from './wire.js';

interface LoginAmbiguous {
  readonly kind: 'login-doubted';
  readonly errors: readonly AuthorityError[];
}

export interface Login extends IssuedToken {
  /** Time of the response on the authority's clock, or null if unknown. */
  readonly issuedAt: Date | null;
}

export type LoginResult = ({ readonly kind: 'token' } & Login) | LoginFailure | LoginAmbiguous;

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
  // 408 is a timeout, not a refusal.
  const isRefused = status >= 400 && status < 500 && status !== 408;
  if (!isRefused) return toNoResponse(describeStatus(ending), readRetryAfterSeconds(ending));
  return isHtml(ending) ? toEdgeFailure(ending) : classifyRefusedLogin(ending);
}

// Codes for a client that may not log in, including the authority's British spelling.
const AMBIGUOUS_CODES: ReadonlySet<string> = new Set([
  'unauthorised_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
]);

// The authority does not document its response to a missing appointment. Every refusal counts as one unless our own
// credentials may be the cause. For a wrong client id or secret, the authority's FAQ states 403, and OAuth states 401.
function classifyRefusedLogin(response: AuthorityResponse): LoginResult {
  const errors = readErrorsOrFallback(response.body, describeStatus(response));
  const codes = errors.map(({ code }) => code);
  if (codes.includes('invalid_client')) return { kind: 'client-refused' };
  const isSilent = response.status === 401 && codes.every((code) => code === null);
  const isDoubtful = response.status === 403 || isSilent || codes.some((code) => AMBIGUOUS_CODES.has(code ?? ''));
  return { kind: isDoubtful ? 'login-doubted' : 'not-appointed', errors };
}

// Keeps free text out of the log, because it may quote the request.
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
