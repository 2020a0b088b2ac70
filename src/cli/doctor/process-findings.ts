import type { DataSource } from 'typeorm';
import type { LastLogin } from '../../authority/tokens.js';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import { fingerprintSettings, type SettingFingerprints } from '../../config/setting-fingerprints.js';
import { formatProcess } from '../../observability/process-reports/process-name.js';
import { PROCESSES } from '../../observability/process-reports/process-report.sql.js';
import { advice, type Finding, good, problem } from './finding.js';
import type { CheckedSettings } from './settings-findings.js';

const CHECK = 'processes';
const SECRETS_KEY = 'SECRETS_KEY';
// Settings may have been corrected since an older login.
const RECENT_LOGIN_MS = 15 * 60_000;

interface ProcessRow {
  readonly id: string;
  readonly role: string;
  readonly host: string;
  readonly pid: number;
  readonly metricsPort: number;
  readonly version: string;
  readonly environments: readonly Environment[];
  readonly fingerprints: SettingFingerprints;
  /** By environment. */
  readonly logins: Readonly<Record<string, LastLogin>>;
  readonly isRunning: boolean;
  readonly silentSeconds: number;
}

interface Fingerprinted {
  readonly name: string;
  readonly fingerprints: SettingFingerprints;
}

/**
 * Checks that each process still reports, that its last login succeeded, and that its settings equal those of the other
 * processes and of this command.
 */
export function checkProcesses(settings: CheckedSettings): (database: DataSource) => Promise<Finding[]> {
  return async ({ manager }) => {
    const processes = await manager.query<ProcessRow[]>(PROCESSES);
    if (processes.length === 0)
      return [advice(CHECK, 'no process reports', 'Start APIs and dispatchers of this version')];
    const running = processes.filter(({ isRunning }) => isRunning);
    const compared = [
      ...running.map((each) => ({ name: formatProcess(each), fingerprints: each.fingerprints })),
      { name: 'this command', fingerprints: readOwn(settings) },
    ];
    return [...processes.map(judge), ...findDifferences(compared)];
  };
}

function readOwn({ configuration, wrong }: CheckedSettings): SettingFingerprints {
  if (wrong.has(SECRETS_KEY)) return {};
  const isRight = (environment: Environment): boolean =>
    ![...wrong].some((name) => name.startsWith(`AUTHORITY_${environment.toUpperCase()}_`));
  const authorities = Object.fromEntries(
    Object.entries(configuration.authorities).filter(([environment]) => isRight(environment as Environment)),
  );
  return fingerprintSettings({ ...configuration, authorities });
}

function judge(row: ProcessRow): Finding {
  const name = formatProcess(row);
  if (!row.isRunning) {
    const found = `${name} ${describeSilence(row.silentSeconds)}`;
    const fix = 'Start it, or read its log. If you removed it on purpose, its report is deleted after a day';
    return problem(CHECK, found, fix);
  }
  const logins = ENVIRONMENTS.flatMap((environment) => {
    const login = row.logins[environment];
    return login === undefined ? [] : [{ environment, ...login }];
  });
  const stated = logins.map(({ environment, at, result }) => `; last login in ${environment} at ${at}: ${result}`);
  const found = `${name} of ${row.version} serves ${row.environments.join(' and ')}${stated.join('')}`;
  const isRecent = ({ at }: LastLogin): boolean => Date.now() - Date.parse(at) <= RECENT_LOGIN_MS;
  const refused = logins.find((login) => login.isAccepted === false && isRecent(login));
  if (refused !== undefined) {
    return problem(CHECK, found, `On that machine, compare ${listLoginSettings(refused.environment)}`);
  }
  const unclear = logins.find(({ isAccepted }) => isAccepted !== true);
  if (unclear === undefined) return good(CHECK, found);
  const fix = `This does not show that its settings are wrong. If its next login fails too, compare ${listLoginSettings(unclear.environment)} on that machine`;
  return advice(CHECK, found, fix);
}

function describeSilence(seconds: number): string {
  return seconds > 0
    ? `has not reported for ${formatDuration(seconds)}`
    : `has not reported since the clock of the database was set back by ${formatDuration(-seconds)} or more`;
}

function listLoginSettings(environment: Environment): string {
  return `AUTHORITY_${environment.toUpperCase()}_IDENTITY_URL, _CLIENT_ID and _CLIENT_SECRET`;
}

function findDifferences(processes: readonly Fingerprinted[]): Finding[] {
  const byKey = groupBy(processes, SECRETS_KEY);
  const settings = [...new Set(processes.flatMap(({ fingerprints }) => Object.keys(fingerprints)))];
  // Fingerprints depend on the secrets key, so only processes with the same key can be compared.
  const findings = [
    ...describeDifference(SECRETS_KEY, byKey),
    ...byKey.flatMap((group) =>
      settings
        .filter((setting) => setting !== SECRETS_KEY)
        .flatMap((setting) => describeDifference(setting, groupBy(group, setting))),
    ),
  ];
  return findings.length > 0 ? findings : [good(CHECK, 'all processes have the same settings')];
}

/** Groups the processes that read a setting by its fingerprint. */
function groupBy(processes: readonly Fingerprinted[], setting: string): Fingerprinted[][] {
  const groups = new Map<string | null, Fingerprinted[]>();
  for (const each of processes.filter(({ fingerprints }) => setting in fingerprints)) {
    const value = each.fingerprints[setting];
    groups.set(value, [...(groups.get(value) ?? []), each]);
  }
  return [...groups.values()];
}

function describeDifference(setting: string, groups: readonly (readonly Fingerprinted[])[]): Finding[] {
  if (groups.length < 2) return [];
  const parts = groups.map((group) => group.map(({ name }) => name).join(' and '));
  const fix =
    `Set ${setting} to the same value for all processes, and restart those that had another value. Only a dispatcher with ` +
    'DISPATCH_QUEUED=off may keep a former client id: see "Change the client id" in docs/operations.md';
  return [problem(CHECK, `${setting} differs: ${parts.join('; not the same: ')}`, fix)];
}

function formatDuration(seconds: number): string {
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} minutes`;
}
