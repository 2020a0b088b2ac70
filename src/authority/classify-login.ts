import { type AuthorityError, errorsOrFallback } from './authority-errors.js';
import { edge, isHtml, isSuccess, notSent, statusText, throttled, withoutAnswer } from './classify.js';
import type { LoginFailure } from './outcomes.js';
import { retryAfterSecondsOf } from './retry-after.js';
import type { Answer, Ending } from './transport.js';
import { type IssuedToken, readToken } from './wire.js';

/** Refused in words that fit our own credentials as well as the taxpayer: what others meet tells which. */
interface LoginDoubted {
  readonly kind: 'login-doubted';
  readonly errors: readonly AuthorityError[];
}

export type LoginAnswered = ({ readonly kind: 'token' } & IssuedToken) | LoginFailure | LoginDoubted;

/** A login on behalf (authority documentation: login as intermediary). It may always be repeated, within its budget. */
export function classifyLogin(ending: Ending): LoginAnswered {
  if (ending.kind === 'not-sent') return notSent(ending);
  if (ending.kind === 'no-answer') return withoutAnswer(ending.reason);
  const { status } = ending;
  if (status === 429) return throttled(ending, 'login');
  if (isSuccess(ending)) {
    const token = readToken(ending.body);
    return token ? { kind: 'token', ...token } : withoutAnswer(`unreadable token with status ${status}`);
  }
  // 408 is a time-out that an edge calls ours.
  const isRefused = status >= 400 && status < 500 && status !== 408;
  if (!isRefused) return withoutAnswer(statusText(ending), retryAfterSecondsOf(ending));
  return isHtml(ending) ? edge(ending) : refusedLogin(ending);
}

// What says that the client may not log in, or not so: the authority's page lists them, one in British spelling.
const DOUBTFUL_CODES: ReadonlySet<string> = new Set([
  'unauthorised_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
]);

// The answer to a login for a taxpayer who has not appointed the intermediary is not published: so a refusal is taken for
// that, but where it names our own credentials, or may mean them. The authority's FAQ gives 403 for a wrong client id or
// secret, OAuth 401.
function refusedLogin(answer: Answer): LoginAnswered {
  const errors = errorsOrFallback(answer.body, statusText(answer));
  const codes = errors.map(({ code }) => code);
  if (codes.includes('invalid_client')) return { kind: 'client-refused' };
  const isSilent = answer.status === 401 && codes.every((code) => code === null);
  const isDoubtful = answer.status === 403 || isSilent || codes.some((code) => DOUBTFUL_CODES.has(code ?? ''));
  return { kind: isDoubtful ? 'login-doubted' : 'not-appointed', errors };
}
