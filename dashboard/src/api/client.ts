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

/** The token that every changing call carries; from the response with the session. */
export function rememberCsrfToken(token: string | null): void {
  session.csrfToken = token;
}

/** What to do when the API says that the session has ended. */
export function onSessionLost(lost: () => void): void {
  session.lost = lost;
}

/** What to do when the session is another one than the page's; the call is repeated when it resolves to true. */
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
    // Who asks who is signed in is told, and decides what follows.
    if (schemaPath === '/api/dashboard/session') return;
    if (response.status !== 401 || session.csrfToken === null) return;
    const { code } = toFailure(response.status, await readBody(response.clone()));
    if (code === 'session_required') session.lost();
  },
};

/** The dashboard's API with the types of `openapi.json`; every call is wrapped in {@link unwrap}. */
export const client = createClient<paths>({ credentials: 'same-origin', fetch: fetchInSession });
client.use(sessionMiddleware);

/** A call that is refused for its token alone changed nothing: after a sign-in in another tab it is made again. */
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

/** What a successful call answers; void where that is nothing (204). */
type CallResult<Call extends Ending> = [Exclude<Call['data'], undefined>] extends [never]
  ? void
  : Exclude<Call['data'], undefined>;

/**
 * The response body of a call.
 * @throws {CallFailure} with the API's message, problems and request id, or when there was no response.
 */
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
