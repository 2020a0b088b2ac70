import type { DataSource } from 'typeorm';
import { DATABASE_SETTING_BY_ROLE } from '../../config/configuration.js';
import { type ConnectionProblem, describeConnectionError, isServerAway } from '../../database/connection-error.js';
import {
  type ConnectedRole,
  describeRoleFix,
  judgeRole,
  NEEDED_ROLES,
  readConnectedRole,
} from '../../database/connection-role.js';
import { createDataSource } from '../../database/data-source.js';
import { type Finding, good, problem } from './finding.js';
import { type CheckedSettings, isSet } from './settings-findings.js';

const OWNER = DATABASE_SETTING_BY_ROLE.operator;

export interface CheckedConnections {
  /** Open, as the owner of the tables, for the caller to close; null: the database cannot be looked into. */
  readonly owner: DataSource | null;
  readonly findings: readonly Finding[];
}

interface Opened {
  readonly setting: string;
  readonly dataSource: DataSource;
  readonly role: ConnectedRole;
}

interface Refused {
  readonly setting: string;
  readonly refusal: ConnectionProblem;
}

/** Connects by every address of the database that is set here, and compares the role of each with what it is for. */
export async function openConnections(
  environment: NodeJS.ProcessEnv,
  { wrong, configuration }: CheckedSettings,
): Promise<CheckedConnections> {
  const settings = [OWNER, ...Object.keys(NEEDED_ROLES)].filter((name) => isSet(environment, name) && !wrong.has(name));
  const preparesStatements = configuration.databasePreparedStatements;
  const results = await Promise.all(
    settings.map((setting) => open(setting, environment[setting]?.trim() ?? '', preparesStatements)),
  );
  const opened = results.filter((result) => 'role' in result);
  const refused = results.filter((result) => 'refusal' in result);
  const owner = opened.find(({ setting, role }) => setting === OWNER && mayLookInto(role));
  for (const { dataSource } of opened) if (dataSource !== owner?.dataSource) await dataSource.destroy();
  const findings = [
    ...groupRefusals(refused).map(({ names, refusal: { reason, fix } }) => {
      const found = names.length === 1 ? `${names[0]} ${reason}` : `each of ${names.join(', ')} ${reason}`;
      return problem('connections', found, capitalise(fix));
    }),
    ...opened.map(judge),
  ];
  return { owner: owner?.dataSource ?? null, findings };
}

async function open(setting: string, url: string, preparesStatements: boolean): Promise<Opened | Refused> {
  let dataSource: DataSource | null = null;
  try {
    const poolSize = 2;
    dataSource = createDataSource({ url, poolSize, applicationName: 'einvoice-cli', preparesStatements });
    await dataSource.initialize();
    return { setting, dataSource, role: await readConnectedRole(dataSource.manager) };
  } catch (error) {
    if (dataSource?.isInitialized === true) await dataSource.destroy();
    return { setting, refusal: describeConnectionError(error, url) };
  }
}

/** One server that is away is one problem, however many addresses lead to it. */
function groupRefusals(refused: readonly Refused[]): { names: string[]; refusal: ConnectionProblem }[] {
  const groups = new Map<string, { names: string[]; refusal: ConnectionProblem }>();
  for (const { setting, refusal } of refused) {
    const key = isServerAway(refusal) ? refusal.reason : setting;
    const { names } = groups.get(key) ?? { names: [] };
    groups.set(key, { names: [...names, setting], refusal });
  }
  return [...groups.values()];
}

function mayLookInto({ isOwner }: ConnectedRole): boolean {
  return isOwner;
}

function judge({ setting, role }: Opened): Finding {
  const check = 'connections';
  if (setting === OWNER) {
    if (mayLookInto(role)) return good(check, `${OWNER} connects as ${role.name}`);
    const found = `${OWNER} connects as ${role.name}, which does not own the tables: nothing else of the database is checked`;
    return problem(check, found, 'Connect as the owner, with whom the database was migrated: einvoice_owner');
  }
  const wrong = judgeRole(setting, role, true);
  if (wrong !== null) return problem(check, wrong, capitalise(describeRoleFix(setting)));
  return good(check, `${setting} connects as ${role.name}`);
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
