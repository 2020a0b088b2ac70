import createClient, { type Middleware } from 'openapi-fetch';
import { isUserPresent } from './presence';
import { toFailure, unreachable } from './errors';
import type { paths } from './schema';

const SAFE_METHODS: readonly string[] = ['GET', 'HEAD'];

interface SessionHandling {
  csrfToken: string | null;
  lost: () => void;
  renew: () => Promise<boolean>;
}

const session: SessionHandling = { csrfToken: null, lost: () => {}, renew: () => Promise.resolve(false) };

export function rememberCsrfToken(token: string | null): void {
  session.csrfToken = token;
}

/** Registers the handler for a response that reports the end of the session. */
export function onSessionLost(lost: () => void): void {
  session.lost = lost;
}

/** Registers the handler for a CSRF token from another session. The call is repeated if it resolves to true. */
export function onSessionChanged(renew: () => Promise<boolean>): void {
  session.renew = renew;
}

const sessionMiddleware: Middleware = {
  onRequest({ request }) {
    if (!isUserPresent()) request.headers.set('X-Unattended', 'true');
    if (session.csrfToken === null || SAFE_METHODS.includes(request.method)) return;
    request.headers.set('X-CSRF-Token', session.csrfToken);
  },
  async onResponse({ response, schemaPath }) {
    // A 401 response to the session query is an expected answer.
    if (schemaPath === '/api/dashboard/session') return;
    if (response.status !== 401 || session.csrfToken === null) return;
    const { code } = toFailure(response.status, await readBody(response.clone()));
    if (code === 'session_required') session.lost();
  },
};

/** Client of the dashboard API, with the types of `openapi.json`. Wrap every call in {@link unwrap}. */
export const client = createClient<paths>({ credentials: 'same-origin', fetch: fetchInSession });
client.use(sessionMiddleware);

/**
 * Repeats a call that was refused only for its CSRF token. It changed nothing, and another tab may have signed
 * in since.
 */
async function fetchInSession(request: Request): Promise<Response> {
  const again = SAFE_METHODS.includes(request.method) ? null : request.clone();
  const response = await fetch(request);
  if (again === null || response.status !== 403 || session.csrfToken === null) return response;
  const { code } = toFailure(response.status, await readBody(response.clone()));
  if (code !== 'csrf_token_wrong' || !(await session.renew())) return response;
  again.headers.set('X-CSRF-Token', session.csrfToken);
  return fetch(again);
}

interface Ending {
  data?: unknown;
  error?: unknown;
  response: Response;
}

/** Body of a successful response; void for status 204. */
type CallResult<Call extends Ending> = [Exclude<Call['data'], undefined>] extends [never]
  ? void
  : Exclude<Call['data'], undefined>;

export async function unwrap<Call extends Ending>(call: Promise<Call>): Promise<CallResult<Call>> {
  const ending = await call.catch(() => {
    throw unreachable();
  });
  if (!ending.response.ok) throw toFailure(ending.response.status, ending.error);
  return ending.data as CallResult<Call>;
}

function readBody(response: Response): Promise<unknown> {
  return response.json().catch(() => null);
}
