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

/** A login with the configured client id and secret, without a taxpayer. */
export interface OpenedLogin {
  try(environment: Environment): Promise<PlatformLoginResult>;
  close(): Promise<void>;
}

export type OpenLogin = (configuration: Configuration) => Promise<OpenedLogin>;

export interface LoginMeans {
  /** Connected as the owner; null if the database is unavailable. */
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
    return [advice('authority', 'not checked: no environment is configured here', fix)];
  }
  return Promise.all(
    served.map(async (environment) => {
      const isWrong = LOGIN_SETTINGS.some((name) => wrong.has(`${toPrefix(environment)}_${name}`));
      if (!isWrong) return checkLogin(environment, configuration, means);
      return advice(
        `authority ${environment}`,
        'no login was tried because settings are wrong',
        'Correct the settings first',
      );
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
    return advice(
      check,
      'no login was tried because the database is unavailable',
      'Run doctor again when the database works',
    );
  }
  const parameters = [configuration.authorities[environment]?.clientId, environment];
  const [{ isRefused }] = await database.query<[{ isRefused: boolean }]>(REFUSED, parameters);
  // Dispatchers probe a refused login, so another attempt would only use the call budget.
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
      return good(check, 'it accepts our client id and secret');
    case 'refused':
      return problem(
        check,
        'it refuses the client id or secret',
        `Correct ${prefix}_CLIENT_ID and _CLIENT_SECRET here and for all processes, and restart them; the portal shows when the secret expires`,
      );
    case 'doubtful':
      return problem(
        check,
        `it refuses logins without a clear reason: ${result.reason}`,
        `Compare ${prefix}_CLIENT_ID and _CLIENT_SECRET with the portal; if they are right, ask the authority whether the intermediary is suspended`,
      );
    case 'unavailable':
      return problem(
        check,
        `a login received no usable response: ${result.reason}`,
        `Wait for the authority, or check ${prefix}_IDENTITY_URL; submits are still accepted`,
      );
    case 'not-tried':
      return advice(
        check,
        `no login was tried: ${result.reason ?? 'the call budget has no free slot soon'}`,
        'Run doctor again in a minute; "queue show" shows the call budget',
      );
  }
}
