import { type AuthorityError, errorsOrFallback } from './authority-errors.js';
import { toEdgeFailure, isHtml, isSuccess, toNotSent, describeStatus, toThrottled, toNoResponse } from './classify.js';
import type { LoginFailure } from './outcomes.js';
import { readDate } from './authority-clock.js';
import { readRetryAfterSeconds } from './retry-after.js';
import type { AuthorityResponse, Ending } from './ending.js';
import { type IssuedToken, readToken } from './wire.js';

/** Refused in words that fit our own credentials as well as the taxpayer: what others meet tells which. */
interface LoginAmbiguous {
  readonly kind: 'login-doubted';
  readonly errors: readonly AuthorityError[];
}

export interface Login extends IssuedToken {
  /** By the authority's clock, in whole seconds; null if the response does not state it. */
  readonly issuedAt: Date | null;
}

export type LoginResult = ({ readonly kind: 'token' } & Login) | LoginFailure | LoginAmbiguous;

/** A login on behalf (authority documentation: login as intermediary). It may always be repeated, within its budget. */
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
  // 408 is a time-out that an edge calls ours.
  const isRefused = status >= 400 && status < 500 && status !== 408;
  if (!isRefused) return toNoResponse(describeStatus(ending), readRetryAfterSeconds(ending));
  return isHtml(ending) ? toEdgeFailure(ending) : refusedLogin(ending);
}

// What says that the client may not log in, or not so: the authority's page lists them, one in British spelling.
const AMBIGUOUS_CODES: ReadonlySet<string> = new Set([
  'unauthorised_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
]);

// The response to a login for a taxpayer who has not appointed the intermediary is not published: so a refusal is taken
// for that, but where it names our own credentials, or may mean them. The authority's FAQ gives 403 for a wrong client
// id or secret, OAuth 401.
function refusedLogin(response: AuthorityResponse): LoginResult {
  const errors = errorsOrFallback(response.body, describeStatus(response));
  const codes = errors.map(({ code }) => code);
  if (codes.includes('invalid_client')) return { kind: 'client-refused' };
  const isSilent = response.status === 401 && codes.every((code) => code === null);
  const isDoubtful = response.status === 403 || isSilent || codes.some((code) => AMBIGUOUS_CODES.has(code ?? ''));
  return { kind: isDoubtful ? 'login-doubted' : 'not-appointed', errors };
}

// The authority's own words may quote what was sent.
const CODE_SHAPE = /^[\w.-]{1,64}$/;

/** States why a login failed, for the log. */
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
