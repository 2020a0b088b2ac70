import type { EntityManager } from 'typeorm';
import { toMalaysianMidnight } from '../../common/malaysian-days.js';
import type { Caller } from '../../database/in-tenant.js';
import { ATTEMPT_STATES, type AttemptState } from '../../documents/statuses.js';
import { computeFirstId } from '../id-range.js';
import { type ShownStatus, toShownStatus } from '../transactions/shown-status.js';
import type { DayDto } from './dto/overview.dto.js';
import { COUNT_CREDITS, COUNT_DAYS, type DayCountRow, type DayCreditsRow } from './overview.sql.js';

// The counts of a past day are stored when an overview first shows them. When one of the day's attempts changes, a trigger
// inserts a row of daily_count_change, and the next overview counts the day again. It deletes these rows before it counts,
// so that a change that commits meanwhile leaves its row. A counter in the accepting statement would make all calls of an
// organisation wait for its row.

/** Today's counts change all the time, and yesterday's may: a transaction that began then can commit later. */
const OPEN_DAYS = 2;

/** What a day adds up to. */
interface DailyCount {
  readonly day: string;
  /** Those that are not there are 0. */
  readonly byStatus: Readonly<Partial<Record<ShownStatus, number>>>;
  readonly credits: number;
}

const READ_KEPT = /* sql */ `
SELECT day::text AS day, by_status AS "byStatus", credits FROM daily_count d
 WHERE tenant_id = $1 AND environment = $2 AND day = ANY ($3::date[])
   AND NOT EXISTS (
     SELECT FROM daily_count_change c
      WHERE c.tenant_id = $1 AND c.environment = $2 AND c.day = d.day)`;

/** Who counts alone may keep it: another one, who began before a change, would put the counts of before over those after. */
const TAKE_TURN = /* sql */ `
SELECT pg_try_advisory_xact_lock(hashtextextended('daily_count|' || $1 || '|' || $2, 0)) AS "isMine"`;

const FORGET_CHANGES = /* sql */ `
DELETE FROM daily_count_change WHERE tenant_id = $1 AND environment = $2 AND day = ANY ($3::date[])`;

const KEEP = /* sql */ `
INSERT INTO daily_count (tenant_id, environment, day, by_status, credits)
SELECT $1, $2, day, "byStatus", credits
  FROM jsonb_to_recordset($3::jsonb) AS counted (day date, "byStatus" jsonb, credits integer)
ON CONFLICT (tenant_id, environment, day) DO UPDATE SET by_status = excluded.by_status, credits = excluded.credits`;

/** How the documents of an organisation fared on these days, `YYYY-MM-DD` in Malaysia, of which the last one is today. */
export async function readDays(tx: EntityManager, caller: Caller, days: readonly string[]): Promise<DayDto[]> {
  const scope = [caller.tenantId, caller.environment];
  const over = days.slice(0, -OPEN_DAYS);
  const kept = await tx.query<DailyCount[]>(READ_KEPT, [...scope, over]);
  const missing = over.filter((day) => kept.every((count) => count.day !== day));
  const counted =
    missing.length > 0 && (await takeTurn(tx, scope))
      ? await countAndKeep(tx, scope, missing)
      : await countDays(tx, scope, missing);
  const open = await countDays(tx, scope, days.slice(-OPEN_DAYS));
  const counts = new Map([...kept, ...counted, ...open].map((count) => [count.day, count]));
  return days.map((day) => toDto(counts.get(day) ?? { day, byStatus: {}, credits: 0 }));
}

async function takeTurn(tx: EntityManager, scope: readonly string[]): Promise<boolean> {
  const [{ isMine }] = await tx.query<[{ isMine: boolean }]>(TAKE_TURN, [...scope]);
  return isMine;
}

/** What commits after the changes were forgotten leaves its own, and may be counted already: then it is counted again. */
async function countAndKeep(
  tx: EntityManager,
  scope: readonly string[],
  days: readonly string[],
): Promise<DailyCount[]> {
  await tx.query(FORGET_CHANGES, [...scope, days]);
  const counted = await countDays(tx, scope, days);
  await tx.query(KEEP, [...scope, JSON.stringify(counted)]);
  return counted;
}

async function countDays(tx: EntityManager, scope: readonly string[], days: readonly string[]): Promise<DailyCount[]> {
  if (days.length === 0) return [];
  const first = days.map((day) => computeFirstId(toMalaysianMidnight(day)));
  const next = days.map((day) => computeFirstId(toMalaysianMidnight(day, 1)));
  const parameters = [...scope, days, first, next];
  const attempts = await tx.query<DayCountRow[]>(COUNT_DAYS, parameters);
  const used = await tx.query<DayCreditsRow[]>(COUNT_CREDITS, parameters);
  return days.map((day) => ({
    day,
    byStatus: Object.fromEntries(attempts.filter((row) => row.day === day).map((row) => [row.status, row.attempts])),
    credits: used.find((row) => row.day === day)?.credits ?? 0,
  }));
}

function toDto({ day, byStatus, credits }: DailyCount): DayDto {
  const counts = Object.fromEntries(ATTEMPT_STATES.map((state) => [state, byStatus[toShownStatus(state)] ?? 0]));
  return { day, counts: counts as Record<AttemptState, number>, creditsUsed: credits };
}
