import { errorsOrFallback } from './authority-errors.js';
import { edge, isHtml, isSuccess, notSent, statusText, throttled, withoutAnswer } from './classify.js';
import type { LoginFailure } from './outcomes.js';
import { retryAfterSecondsOf } from './retry-after.js';
import type { Answer, Ending } from './transport.js';
import { type IssuedToken, readToken } from './wire.js';

export type LoginAnswered = ({ readonly kind: 'token' } & IssuedToken) | LoginFailure;

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

// The answer to a login for a taxpayer who has not appointed the intermediary is not published: so every refusal is
// taken for that, but the one that names our own credentials.
function refusedLogin(answer: Answer): LoginFailure {
  const errors = errorsOrFallback(answer.body, statusText(answer));
  const isOurs = errors.some(({ code }) => code === 'invalid_client');
  return isOurs ? { kind: 'client-refused' } : { kind: 'not-appointed', errors };
}
