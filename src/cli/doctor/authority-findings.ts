import type { DataSource } from 'typeorm';
import type { PlatformLoginResult } from '../../authority/platform-login.js';
import type { Configuration } from '../../config/configuration.js';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import { advice, failure, type Finding, good, problem } from './finding.js';
import type { CheckedSettings } from './settings-findings.js';

export const CLOCK_SECONDS_MAX = 5;
const REQUEST_MS_MAX = 5_000;

// Refused without a token, by the authority as by its simulator; another server does not know it.
const PROTECTED_PATH = '/api/v1.0/documents/recent';
const LOGIN_SETTINGS = ['API_URL', 'IDENTITY_URL', 'CLIENT_ID', 'CLIENT_SECRET', 'RATE_FACTOR'];
const REFUSED_STATUSES = [401, 403];

const REFUSED = /* sql */ `
  SELECT EXISTS (SELECT FROM call_budget WHERE client_id = $1 AND environment = $2 AND api = 'login'
                  AND blocked_reason = 'client_refused') AS "isRefused"`;

/** Logs in with the client id and secret of the settings, in nobody's name, until it is closed. */
export interface OpenedLogin {
  try(environment: Environment): Promise<PlatformLoginResult>;
  close(): Promise<void>;
}

export type OpenLogin = (configuration: Configuration) => Promise<OpenedLogin>;

/** What a login needs and takes. */
export interface LoginMeans {
  /** Migrated, as its owner; null: there is none. */
  readonly database: DataSource | null;
  readonly openLogin: OpenLogin;
}

/** Whether each authority that is set here is one, has our time, and takes our client id and secret. */
export async function checkAuthorities(
  { configuration, wrong }: CheckedSettings,
  means: LoginMeans,
): Promise<readonly Finding[]> {
  const findings = ENVIRONMENTS.map(async (environment): Promise<readonly Finding[]> => {
    const settings = configuration.authorities[environment];
    if (settings === undefined) return [];
    const check = `authority ${environment}`;
    const prefix = toPrefix(environment);
    const [api, identity] = [`${prefix}_API_URL`, `${prefix}_IDENTITY_URL`];
    const isSame = settings.identityUrl === settings.apiUrl;
    const reached = [
      ...(wrong.has(api) ? [] : [await checkReachable(check, settings.apiUrl, api, PROTECTED_PATH)]),
      ...(isSame || wrong.has(identity) ? [] : [await checkReachable(check, settings.identityUrl, identity, '')]),
    ];
    const mayLogIn = LOGIN_SETTINGS.every((name) => !wrong.has(`${prefix}_${name}`));
    const isThere = reached.every(({ result }) => result !== 'problem');
    if (!mayLogIn) return [...reached, advice(check, 'no login was tried: settings are wrong', 'Correct them first')];
    // Why it would fail is said.
    return isThere ? [...reached, await checkLogin(environment, configuration, means)] : reached;
  });
  const found = (await Promise.all(findings)).flat();
  if (found.length > 0 || Object.keys(configuration.authorities).length > 0) return found;
  const fix = 'Run it with the AUTHORITY_… settings and SECRETS_KEY of the dispatcher';
  return [advice('authority', 'not checked: no environment is set here', fix)];
}

function toPrefix(environment: Environment): string {
  return `AUTHORITY_${environment.toUpperCase()}`;
}

async function checkLogin(environment: Environment, configuration: Configuration, means: LoginMeans): Promise<Finding> {
  try {
    return await tryLogin(environment, configuration, means);
  } catch (error) {
    // The call budget is in the database, and the login makes another connection.
    return failure(`authority ${environment}`, error);
  }
}

async function tryLogin(
  environment: Environment,
  configuration: Configuration,
  { database, openLogin }: LoginMeans,
): Promise<Finding> {
  const check = `authority ${environment}`;
  if (database === null) {
    return advice(check, 'no login was tried: it needs the database', 'Run doctor again when the database is right');
  }
  const parameters = [configuration.authorities[environment]?.clientId, environment];
  const [{ isRefused }] = await database.query<[{ isRefused: boolean }]>(REFUSED, parameters);
  // The dispatchers probe by themselves, as often as is good.
  if (isRefused) return describeLogin(environment, { kind: 'refused' });
  const login = await openLogin(configuration);
  try {
    return describeLogin(environment, await login.try(environment));
  } finally {
    await login.close();
  }
}

function describeLogin(environment: Environment, result: PlatformLoginResult): Finding {
  const check = `authority ${environment}`;
  const prefix = toPrefix(environment);
  switch (result.kind) {
    case 'accepted':
      return good(check, 'it takes our client id and secret');
    case 'refused':
      return problem(
        check,
        'it refuses the client id or secret',
        `Correct ${prefix}_CLIENT_ID and _CLIENT_SECRET here and for all processes, and restart them; a secret expires: the portal shows when`,
      );
    case 'doubtful':
      return problem(
        check,
        `it refuses a login without saying for what: ${result.reason}`,
        `Compare ${prefix}_CLIENT_ID and _CLIENT_SECRET with the portal; if they are right, ask the authority whether the intermediary is suspended`,
      );
    case 'unavailable':
      return problem(
        check,
        `a login gets no usable response: ${result.reason}`,
        `Wait for the authority, or compare ${prefix}_IDENTITY_URL; acceptance goes on`,
      );
    case 'not-tried':
      return advice(
        check,
        `no login was tried: ${result.reason ?? 'the next slot of the call budget is far away'}`,
        'Run doctor again in a minute; "queue show" has the call budget',
      );
  }
}

// Without a token it counts for no limit. Of an address without such a path any response will do: the login tells more.
async function checkReachable(check: string, url: string, setting: string, path: string): Promise<Finding> {
  const askedAt = Date.now();
  try {
    const response = await fetch(url + path, { redirect: 'manual', signal: AbortSignal.timeout(REQUEST_MS_MAX) });
    await response.body?.cancel();
    const stranger = path === '' ? null : judgeStatus(check, setting, response.status);
    if (stranger !== null) return stranger;
    const date = new Date(response.headers.get('date') ?? Number.NaN);
    // Given in whole seconds.
    const seconds = Number.isNaN(date.getTime()) ? 0 : deviation(date, askedAt - 1_000);
    if (seconds <= CLOCK_SECONDS_MAX) return good(check, `${setting} responds`);
    return problem(check, `its clock differs by ${Math.round(seconds)} s`, 'Let this machine follow NTP');
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : message;
    const fix = `Compare ${setting}; open network, firewall and DNS for its host`;
    return problem(check, `${setting} does not respond: ${reason}`, fix);
  }
}

/** What the response to a call without a token shows; null: it is the authority's. */
function judgeStatus(check: string, setting: string, status: number): Finding | null {
  if (REFUSED_STATUSES.includes(status)) return null;
  if (status === 429 || status >= 500) {
    return advice(check, `${setting} responds with ${status}`, 'Wait for the authority; acceptance goes on');
  }
  const there = `${PROTECTED_PATH} without a token is ${status} there`;
  const found = `${setting} leads to another server than the authority: ${there}`;
  return problem(check, found, `Correct ${setting}: .env.example has the authority's address`);
}

/** Of an instant that was read between then and now: what lies outside. */
export function deviation(instant: Date, askedAt: number): number {
  return Math.max(0, askedAt - instant.getTime(), instant.getTime() - Date.now()) / 1_000;
}
