import { createHash } from 'node:crypto';
import type { ArmedFailpoints } from '../common/failpoints/failpoints.js';
import type { Signer } from '../common/signing/signer.js';
import { type CreditPack, readCreditPacks } from './credit-packs.js';
import { type Environment, ENVIRONMENTS } from './environment.js';
import { readFailpoints } from './failpoint-settings.js';
import { refuseUnsafeSettings } from './production-settings.js';
import { readTrustedProxies } from './proxy-settings.js';
import { type RateLimitSettings, readRateLimits } from './rate-limit-settings.js';
import { SettingsReader } from './settings-reader.js';
import { readSigner } from './signing-settings.js';
import { readSupportUrl } from './support-settings.js';
import { readTraceSettings, type TraceSettings } from './trace-settings.js';
import { describeWeakness } from './weak-secret.js';

/** The role of a process, which selects its settings and its database role. */
export type ProcessRole = 'api' | 'dispatcher' | 'operator';

export interface AuthoritySettings {
  readonly apiUrl: string;
  readonly identityUrl: string;
  readonly portalUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Fraction of the published call limits to use. 0 means unlimited, for the simulator only. */
  readonly rateFactor: number;
  /** Null submits unsigned documents. Only the dispatcher reads the key. */
  readonly signer: Signer | null;
}

/** The company that organisations appoint, as entered in the authority's portal. */
export interface Intermediary {
  readonly tin: string;
  readonly brn: string;
  readonly name: string;
}

export interface DispatchTimes {
  readonly authorityDeadlineSeconds: number;
  readonly dispatchLeaseSeconds: number;
  readonly reconcileGraceSeconds: number;
  readonly reconcileSecondLookupSeconds: number;
}

export interface Configuration {
  readonly role: ProcessRole;
  readonly isProduction: boolean;
  readonly port: number;
  readonly host: string;
  readonly trustedProxies: readonly string[];
  readonly rateLimits: RateLimitSettings;
  readonly metricsPort: number;
  readonly metricsHost: string;
  readonly databaseUrl: string;
  readonly databasePoolSize: number;
  /** Must be off behind a pooler without support for named prepared statements. */
  readonly databasePreparedStatements: boolean;
  /** Seconds during which a stopping API still serves requests, so that load balancers notice that it is not ready. */
  readonly drainSeconds: number;
  readonly heldPollsMax: number;
  /** Database connection for the operators' pages of the dashboard. Null turns these pages off. */
  readonly operatorDatabaseUrl: string | null;
  /** In display order. An empty list allows any number of credits, without a price. */
  readonly creditPacks: readonly CreditPack[];
  readonly signUpSandboxCredits: number;
  /** An environment is served if its authority is configured (docs/rules.md#environments). */
  readonly authorities: Readonly<Partial<Record<Environment, AuthoritySettings>>>;
  readonly intermediary: Intermediary | null;
  readonly supportUrl: string | null;
  readonly secretsKey: Buffer;
  readonly times: DispatchTimes;
  /** Whether the dispatcher sends queued documents. If off, it only finishes calls already sent. */
  readonly sendsQueued: boolean;
  readonly logLevel: string;
  readonly traces: TraceSettings | null;
  readonly failpoints: ArmedFailpoints;
}

export const CONFIGURATION = Symbol('Configuration');

export const DATABASE_SETTING_BY_ROLE: Record<ProcessRole, string> = {
  api: 'DATABASE_URL',
  dispatcher: 'DATABASE_DISPATCHER_URL',
  operator: 'DATABASE_OWNER_URL',
};

export const OPERATOR_DATABASE_SETTING = 'DATABASE_OPERATOR_URL';

const DATABASE_PROTOCOLS = ['postgres:', 'postgresql:'];

/** Twice the time in which HAProxy detects the state (deploy/haproxy/haproxy.cfg), although its checks are slow. */
export const PRODUCTION_DRAIN_SECONDS = 10;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

interface ExaminedSettings {
  readonly configuration: Configuration;
  readonly problems: readonly string[];
}

export function readConfiguration(role: ProcessRole, environment: NodeJS.ProcessEnv = process.env): Configuration {
  const settings = new SettingsReader(environment);
  // Only one operator command calls the authority. The others must work with only the database settings.
  const needsAuthority = role !== 'operator' || (isAnyServed(settings) && settings.isSet('SECRETS_KEY'));
  const configuration = read(settings, role, needsAuthority);
  settings.assertNoProblems();
  return configuration;
}

/** Like `readConfiguration`, but returns the problems instead of throwing. */
export function examineSettings(role: ProcessRole, environment: NodeJS.ProcessEnv): ExaminedSettings {
  const settings = new SettingsReader(environment);
  const configuration = read(settings, role, isAnyServed(settings));
  return { configuration, problems: settings.listProblems() };
}

function isAnyServed(settings: SettingsReader): boolean {
  return ENVIRONMENTS.some((name) => settings.isSet(`${toSettingPrefix(name)}_API_URL`));
}

// Rejects other values such as `Production`, which would disable the production checks.
const NODE_ENVS = ['production', 'development', 'test'] as const;

function read(settings: SettingsReader, role: ProcessRole, needsAuthority: boolean): Configuration {
  const isProduction = settings.choice('NODE_ENV', NODE_ENVS, 'development') === 'production';
  const configuration: Configuration = {
    role,
    isProduction,
    port: settings.integer('PORT', { default: 3000, minimum: 0, maximum: 65_535 }),
    host: settings.text('HOST', { default: '127.0.0.1' }),
    trustedProxies: role === 'api' ? readTrustedProxies(settings) : [],
    rateLimits: readRateLimits(settings),
    metricsPort: settings.integer('METRICS_PORT', { default: 9464, minimum: 0, maximum: 65_535 }),
    metricsHost: settings.text('METRICS_HOST', { default: '127.0.0.1' }),
    databaseUrl: readDatabaseUrl(settings, DATABASE_SETTING_BY_ROLE[role]),
    operatorDatabaseUrl: role === 'api' ? readOperatorUrl(settings) : null,
    databasePoolSize: settings.integer('DATABASE_POOL_SIZE', { default: 10, minimum: 1, maximum: 500 }),
    databasePreparedStatements: settings.choice('DATABASE_PREPARED_STATEMENTS', ['on', 'off'], 'on') === 'on',
    drainSeconds: readDrainSeconds(settings, isProduction),
    heldPollsMax: settings.integer('HELD_POLLS_MAX', { default: 1_000, minimum: 2, maximum: 10_000 }),
    signUpSandboxCredits: settings.integer('SIGN_UP_SANDBOX_CREDITS', { default: 200, minimum: 0, maximum: 10_000 }),
    creditPacks: readCreditPacks(settings),
    authorities: needsAuthority ? readAuthorities(settings, role) : {},
    intermediary: role === 'api' ? readIntermediary(settings) : null,
    supportUrl: readSupportUrl(settings),
    secretsKey: needsAuthority ? readSecretsKey(settings, isProduction) : Buffer.alloc(0),
    times: readTimes(settings),
    sendsQueued: settings.choice('DISPATCH_QUEUED', ['on', 'off'], 'on') === 'on',
    logLevel: settings.choice('LOG_LEVEL', LOG_LEVELS, 'info'),
    traces: readTraceSettings(settings, role),
    failpoints: readFailpoints(settings, isProduction),
  };
  if (isProduction) refuseUnsafe(settings, configuration);
  return Object.freeze(configuration);
}

function refuseUnsafe(settings: SettingsReader, { role, authorities }: Configuration): void {
  refuseUnsafeSettings(settings, {
    authorityPrefixes: ENVIRONMENTS.filter((name) => authorities[name] !== undefined).map(toSettingPrefix),
    databaseSettings: [DATABASE_SETTING_BY_ROLE[role], ...(role === 'api' ? [OPERATOR_DATABASE_SETTING] : [])],
  });
}

function readOperatorUrl(settings: SettingsReader): string | null {
  if (!settings.isSet(OPERATOR_DATABASE_SETTING)) return null;
  return readDatabaseUrl(settings, OPERATOR_DATABASE_SETTING);
}

const SESSION_ATTRIBUTES = 'read-write';
const SEVERAL_HOSTS = /^[a-z]+:\/\/(?:[^@/]*@)?[^@/?#,]*,[^@/?#]*(?:[/?#]|$)/i;

function readDatabaseUrl(settings: SettingsReader, name: string): string {
  if (SEVERAL_HOSTS.test(settings.text(name, { default: '' }))) {
    settings.problem(
      `${name} must name one host: of several servers, let HAProxy find the primary (deploy/haproxy/postgres.cfg), and ` +
        'name the host of HAProxy',
    );
    return '';
  }
  const url = settings.url(name, { protocols: DATABASE_PROTOCOLS });
  const wanted = URL.canParse(url) ? new URL(url).searchParams.get('target_session_attrs') : null;
  if (wanted !== null && wanted !== SESSION_ATTRIBUTES) {
    settings.problem(`${name} must have target_session_attrs=${SESSION_ATTRIBUTES}, or none, not "${wanted}"`);
  }
  return url;
}

function toSettingPrefix(environment: Environment): string {
  return `AUTHORITY_${environment.toUpperCase()}`;
}

function readAuthorities(settings: SettingsReader, role: ProcessRole): Partial<Record<Environment, AuthoritySettings>> {
  const authorities: Partial<Record<Environment, AuthoritySettings>> = {};
  for (const environment of ENVIRONMENTS) {
    const prefix = toSettingPrefix(environment);
    if (settings.isSet(`${prefix}_API_URL`)) authorities[environment] = readAuthority(settings, prefix, role);
  }
  if (Object.keys(authorities).length === 0) {
    settings.problem('AUTHORITY_SANDBOX_API_URL or AUTHORITY_PRODUCTION_API_URL must be set: no environment is served');
  }
  return authorities;
}

function readAuthority(settings: SettingsReader, prefix: string, role: ProcessRole): AuthoritySettings {
  const apiUrl = settings.url(`${prefix}_API_URL`);
  return {
    apiUrl,
    identityUrl: settings.url(`${prefix}_IDENTITY_URL`, { default: apiUrl }),
    portalUrl: settings.url(`${prefix}_PORTAL_URL`, { default: apiUrl.replace('-api.', '.').replace('//api.', '//') }),
    clientId: settings.text(`${prefix}_CLIENT_ID`),
    clientSecret: settings.text(`${prefix}_CLIENT_SECRET`),
    rateFactor: settings.decimal(`${prefix}_RATE_FACTOR`, { default: 1, minimum: 0, maximum: 10 }),
    signer: role === 'dispatcher' ? readSigner(settings, prefix) : null,
  };
}

// All three are required because the portal cannot find the company without them.
function readIntermediary(settings: SettingsReader): Intermediary | null {
  const names = ['INTERMEDIARY_TIN', 'INTERMEDIARY_BRN', 'INTERMEDIARY_NAME'];
  if (!names.some((name) => settings.isSet(name))) return null;
  const [tin, brn, name] = names.map((setting) => settings.text(setting));
  return { tin, brn, name };
}

function readDrainSeconds(settings: SettingsReader, isProduction: boolean): number {
  const standard = isProduction ? PRODUCTION_DRAIN_SECONDS : 0;
  return settings.decimal('DRAIN_SECONDS', { default: standard, minimum: 0, maximum: 600 });
}

const SECRETS_KEY_CHARACTERS_MIN = 32;

function readSecretsKey(settings: SettingsReader, isProduction: boolean): Buffer {
  const text = settings.text('SECRETS_KEY');
  const weakness = isProduction ? describeWeakness(text) : null;
  if (text !== '' && text.length < SECRETS_KEY_CHARACTERS_MIN) {
    settings.problem(`SECRETS_KEY must have at least ${SECRETS_KEY_CHARACTERS_MIN} characters: openssl rand -hex 32`);
  } else if (text !== '' && weakness !== null) {
    settings.problem(`SECRETS_KEY ${weakness}, so that it can be guessed: make one with openssl rand -hex 32`);
  }
  return createHash('sha256').update(text).digest();
}

function readTimes(settings: SettingsReader): DispatchTimes {
  const seconds = (name: string, standard: number): number =>
    settings.decimal(name, { default: standard, minimum: 0.05, maximum: 3_600 });
  const times: DispatchTimes = {
    authorityDeadlineSeconds: seconds('AUTHORITY_DEADLINE_SECONDS', 60),
    dispatchLeaseSeconds: seconds('DISPATCH_LEASE_SECONDS', 180),
    reconcileGraceSeconds: seconds('RECONCILE_GRACE_SECONDS', 60),
    reconcileSecondLookupSeconds: seconds('RECONCILE_SECOND_LOOK_SECONDS', 60),
  };
  // A running worker must not lose its lease while waiting for a response.
  if (times.dispatchLeaseSeconds <= times.authorityDeadlineSeconds) {
    settings.problem('DISPATCH_LEASE_SECONDS must be longer than AUTHORITY_DEADLINE_SECONDS');
  }
  return times;
}
