import type { EntityManager } from 'typeorm';
import { advice, type Finding, good, problem } from './finding.js';

const ARCHIVE_HOURS_MAX = 26;
const BASE_BACKUP_DAYS_MAX = 8;
const STANDBY_SECONDS_MAX = 60;
const SECONDS_A_DAY = 86_400;
const BACKUPS = 'See docs/operations.md#backups';
const MAY_NOT_SEE = 'As a superuser: GRANT pg_monitor TO einvoice_owner';

const REPLICATION = /* sql */ `
  SELECT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS "maySee",
         current_setting('synchronous_standby_names') AS wanted,
         (SELECT coalesce(jsonb_agg(jsonb_build_object('name', application_name, 'isSynchronous',
                   coalesce(sync_state IN ('sync', 'quorum'), false), 'isStreaming', coalesce(state = 'streaming', false),
                   'secondsLacked', coalesce(extract(epoch FROM flush_lag), 0),
                   'secondsUnreplayed', coalesce(extract(epoch FROM replay_lag), 0)) ORDER BY application_name, pid), '[]')
            FROM pg_stat_replication) AS standbys,
         (SELECT coalesce(jsonb_agg(slot_name ORDER BY slot_name), '[]')
            FROM pg_replication_slots WHERE slot_type = 'physical' AND NOT active) AS "idleSlots"`;

interface Standby {
  readonly name: string;
  readonly isSynchronous: boolean;
  readonly isStreaming: boolean;
  readonly secondsLacked: number;
  /** Of what it has. */
  readonly secondsUnreplayed: number;
}

interface ReplicationRow {
  readonly maySee: boolean;
  readonly wanted: string;
  readonly standbys: readonly Standby[];
  readonly idleSlots: readonly string[];
}

/** Whether accepted documents survive the loss of the server, and whether a standby is missing or late. */
export async function checkReplication(manager: EntityManager): Promise<Finding[]> {
  const [{ maySee, wanted, standbys, idleSlots }] = await manager.query<[ReplicationRow]>(REPLICATION);
  const check = 'replication';
  const slots = idleSlots.map((slot) =>
    problem(
      check,
      `the standby of slot ${slot} is missing, and WAL is kept for it until the disk is full`,
      `Start it, or, if it is gone: SELECT pg_drop_replication_slot('${slot}')`,
    ),
  );
  if (standbys.length === 0 && wanted === '') {
    const none = advice(check, 'no standby: accepted documents are lost with the server', BACKUPS);
    return [none, ...slots];
  }
  if (!maySee && standbys.length > 0) {
    const found = `${standbys.length} standbys; their state cannot be known from here: this role may not see it`;
    return [advice(check, found, MAY_NOT_SEE), ...slots];
  }
  const { count, names } = parseWanted(wanted);
  const synchronous = standbys.filter(({ isSynchronous }) => isSynchronous).length;
  if (synchronous < count) {
    const found = `synchronous_standby_names = '${wanted}' wants ${count}, and ${synchronous} are connected: every commit waits`;
    const fix = 'Start the standby; or, to go on without a copy, empty synchronous_standby_names and reload';
    return [problem(check, found, fix), ...slots];
  }
  const missing = names.filter((name) => !standbys.some((standby) => standby.name.toLowerCase() === name));
  const found = `${standbys.length} standbys, ${synchronous} of them synchronous`;
  return [
    synchronous > 0 ? good(check, found) : advice(check, found, 'Set synchronous_standby_names to lose nothing'),
    ...missing.map((name) =>
      advice(check, `${name} of synchronous_standby_names is missing`, 'Start it, before another one is lost too'),
    ),
    ...standbys.flatMap(judgeStandby),
    ...slots,
  ];
}

function judgeStandby({ name, isStreaming, secondsLacked, secondsUnreplayed }: Standby): Finding[] {
  const check = 'replication';
  if (!isStreaming || secondsLacked > STANDBY_SECONDS_MAX) {
    const found = isStreaming ? `${name} lacks the last ${Math.round(secondsLacked)} s` : `${name} catches up`;
    return [problem(check, found, 'Look at network and disk of the standby; a failover to it loses what it lacks')];
  }
  if (secondsUnreplayed <= STANDBY_SECONDS_MAX) return [];
  const found = `${name} has not replayed the last ${Math.round(secondsUnreplayed)} s, which it has`;
  const fix =
    'On the standby, as a superuser: SELECT pg_wal_replay_resume(), then end its long queries and look at its disk; ' +
    'a failover to it loses nothing, but waits until all is replayed';
  return [problem(check, found, fix)];
}

/** How many standbys a commit waits for, and which are named; `*` names none. */
function parseWanted(text: string): { readonly count: number; readonly names: readonly string[] } {
  if (text.trim() === '') return { count: 0, names: [] };
  const [, count, list = ''] = /^\s*(?:(?:FIRST|ANY)\s+)?(\d+)\s*\((.*)\)\s*$/is.exec(text) ?? ['', '1', text];
  const names = list.split(',').map((name) =>
    name
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .toLowerCase(),
  );
  return { count: Number(count), names: names.filter((name) => name !== '*') };
}

const ARCHIVER = /* sql */ `
  SELECT current_setting('archive_mode') <> 'off' AS "isOn",
         extract(epoch FROM now() - last_archived_time)::float8 / 3600 AS hours,
         coalesce(last_failed_time > last_archived_time, last_failed_time IS NOT NULL) AS "isFailing",
         has_function_privilege('pg_ls_waldir()', 'EXECUTE') AS "maySeeBase"
    FROM pg_stat_archiver`;

interface ArchiverRow {
  readonly isOn: boolean;
  readonly hours: number | null;
  readonly isFailing: boolean;
  readonly maySeeBase: boolean;
}

/** Whether WAL is archived, and how old the last base backup is. */
export async function checkBackups(manager: EntityManager): Promise<Finding[]> {
  const [{ isOn, hours, isFailing, maySeeBase }] = await manager.query<[ArchiverRow]>(ARCHIVER);
  const check = 'backups';
  const base = maySeeBase
    ? await checkBaseBackup(manager)
    : advice(check, 'the last base backup cannot be known from here: this role may not see it', MAY_NOT_SEE);
  if (!isOn) return [advice(check, 'WAL is not archived; dumps are not seen from here', BACKUPS), base];
  if (isFailing) return [problem(check, 'the last archiving of WAL failed', 'Read the log of PostgreSQL'), base];
  if (hours === null || hours > ARCHIVE_HOURS_MAX) {
    const found = hours === null ? 'no WAL was archived yet' : `no WAL was archived for ${Math.round(hours)} hours`;
    return [problem(check, found, 'Set archive_timeout, and read the log of PostgreSQL'), base];
  }
  return [good(check, `WAL was archived ${hours.toFixed(1)} hours ago`), base];
}

// A base backup that was taken from a primary leaves a history file in its WAL, until the next one.
const BASE_BACKUP = /* sql */ `
  SELECT extract(epoch FROM now() - max(modification))::float8 AS seconds FROM pg_ls_waldir() WHERE name LIKE '%.backup'`;

async function checkBaseBackup(manager: EntityManager): Promise<Finding> {
  const check = 'backups';
  const [{ seconds }] = await manager.query<[{ seconds: number | null }]>(BASE_BACKUP);
  if (seconds === null) {
    const found = 'the last base backup cannot be known from here: this server has none on record';
    return advice(
      check,
      found,
      'Look where backups are kept; one from a standby, a snapshot and a dump leave no record',
    );
  }
  const days = seconds / SECONDS_A_DAY;
  const found = `the last base backup is ${days.toFixed(1)} days old`;
  if (days <= BASE_BACKUP_DAYS_MAX) return good(check, found);
  return problem(check, found, 'Take one: a restore must replay all WAL since, none of which may be missing');
}
