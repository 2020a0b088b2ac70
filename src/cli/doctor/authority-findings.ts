import type { DataSource } from 'typeorm';
import type { PlatformLogin, PlatformLoginResult } from '../../authority/platform-login.js';
import type { Configuration } from '../../config/configuration.js';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import { advice, type Finding, good, problem } from './finding.js';

export const CLOCK_SECONDS_MAX = 5;
const REQUEST_MS_MAX = 5_000;

const REFUSED = /* sql */ `
  SELECT EXISTS (SELECT FROM authority_pace WHERE client_id = $1 AND environment = $2 AND api = 'login'
                  AND blocked_reason = 'client_refused') AS "isRefused"`;

/** Whether each authority that is set here responds, has our time, and takes our client id and secret. */
export async function checkAuthorities(
  dataSource: DataSource,
  { authorities }: Configuration,
  login: PlatformLogin | null,
): Promise<Finding[]> {
  const findings = ENVIRONMENTS.map(async (environment): Promise<Finding[]> => {
    const settings = authorities[environment];
    if (settings === undefined) return [];
    const check = `authority ${environment}`;
    const prefix = `AUTHORITY_${environment.toUpperCase()}`;
    const parameters = [settings.clientId, environment];
    const [{ isRefused }] = await dataSource.query<[{ isRefused: boolean }]>(REFUSED, parameters);
    return [
      await checkReachable(check, settings.apiUrl, `${prefix}_API_URL`),
      await checkReachable(check, settings.identityUrl, `${prefix}_IDENTITY_URL`),
      // The dispatchers probe by themselves, as often as is good.
      isRefused ? describeLogin(environment, { kind: 'refused' }) : await checkLogin(environment, login),
    ];
  });
  const found = (await Promise.all(findings)).flat();
  if (found.length > 0) return found;
  const fix = 'Run it with the AUTHORITY_… settings and SECRETS_KEY of the dispatcher';
  return [advice('authority', 'not checked: no environment is set here', fix)];
}

async function checkLogin(environment: Environment, login: PlatformLogin | null): Promise<Finding> {
  if (login === null) return advice(`authority ${environment}`, 'no login was tried', 'Run "doctor", which logs in');
  return describeLogin(environment, await login.try(environment));
}

function describeLogin(environment: Environment, result: PlatformLoginResult): Finding {
  const check = `authority ${environment}`;
  const prefix = `AUTHORITY_${environment.toUpperCase()}`;
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

// Any response will do; without a token it counts for no limit.
async function checkReachable(check: string, url: string, setting: string): Promise<Finding> {
  const askedAt = Date.now();
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(REQUEST_MS_MAX) });
    await response.body?.cancel();
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

/** Of an instant that was read between then and now: what lies outside. */
export function deviation(instant: Date, askedAt: number): number {
  return Math.max(0, askedAt - instant.getTime(), instant.getTime() - Date.now()) / 1_000;
}
