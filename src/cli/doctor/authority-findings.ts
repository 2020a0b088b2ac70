import type { DataSource } from 'typeorm';
import type { PlatformLoginResult } from '../../authority/platform-login.js';
import type { Configuration } from '../../config/configuration.js';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import { advice, failure, type Finding, good, problem } from './finding.js';
import type { CheckedSettings } from './settings-findings.js';

const LOGIN_SETTINGS = ['API_URL', 'IDENTITY_URL', 'CLIENT_ID', 'CLIENT_SECRET', 'RATE_FACTOR'];

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

/** Checks whether each configured authority accepts our client id and secret. */
export async function checkLogins(
  { configuration, wrong }: CheckedSettings,
  means: LoginMeans,
): Promise<readonly Finding[]> {
  const served = ENVIRONMENTS.filter((environment) => configuration.authorities[environment] !== undefined);
  if (served.length === 0) {
    const fix = 'Run it with the AUTHORITY_… settings and SECRETS_KEY of the dispatcher';
    return [advice('authority', 'not checked: no environment is set here', fix)];
  }
  return Promise.all(
    served.map(async (environment) => {
      const isWrong = LOGIN_SETTINGS.some((name) => wrong.has(`${toPrefix(environment)}_${name}`));
      if (!isWrong) return checkLogin(environment, configuration, means);
      return advice(`authority ${environment}`, 'no login was tried: settings are wrong', 'Correct them first');
    }),
  );
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
