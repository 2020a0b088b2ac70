import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readConfiguration } from '../../src/config/configuration.js';
import { runCli } from '../../src/processes/cli.js';
import { StallDetector, waitForQuiescence } from './checks/quiescence.js';
import type { Cluster } from './cluster/cluster.js';
import { BRING_FORWARD, FAILING, findDefectFile, IS_UNHANDLED } from './load/consumers.js';

const ATTEMPTS = 16;
const POLL_MS = 500;
// Longer than the lease of a delivery by a killed process.
const STALL_MS_MAX = 120_000;

// Brings retries forward, because the backoff after seven random failures is longer than STALL_MS_MAX.
const countLeft = (condition: string): string => /* sql */ `
  WITH forward AS (${BRING_FORWARD}) SELECT count(*) AS left FROM event_delivery WHERE ${condition}`;
const HANDLED_LEFT = countLeft(`NOT ${IS_UNHANDLED}`);
const ALL_LEFT = countLeft('true');

// Lists violations: each unhandled document must have one dead letter, its first event, after all attempts. Its later
// events must not be tried. No other deliveries may be left.
const DEPARTURES = /* sql */ `
  SELECT 'left for ' || consumer || ' although it can be handled' AS what, document_id AS "documentId"
    FROM event_delivery WHERE NOT ${IS_UNHANDLED}
  UNION ALL
  SELECT 'has ' || count(dead_at) || ' dead letters', document_id
    FROM event_delivery GROUP BY consumer, document_id HAVING count(dead_at) <> 1
  UNION ALL
  SELECT 'is a dead letter after ' || attempts || ' attempts', document_id
    FROM event_delivery WHERE dead_at IS NOT NULL AND attempts < ${ATTEMPTS}
  UNION ALL
  SELECT 'was tried behind a dead letter', document_id FROM event_delivery WHERE dead_at IS NULL AND attempts > 0
  UNION ALL
  SELECT 'was handled out of turn', r.document_id FROM recorded_event r
   WHERE EXISTS (SELECT FROM event_delivery d WHERE d.consumer = r.consumer AND d.document_id = r.document_id)`;

const STATE = /* sql */ `
  SELECT count(DISTINCT document_id)::integer AS documents, count(dead_at)::integer AS dead,
         coalesce(sum(attempts), 0)::integer AS attempts
    FROM event_delivery WHERE ${IS_UNHANDLED}`;

export interface Deliveries {
  readonly delivered: number;
  readonly failedAttempts: number;
  readonly deadLetters: number;
  /** Violations of the delivery rules. */
  readonly problems: readonly string[];
}

/**
 * Waits until all events are delivered or dead letters, fixes the consumer, retries the dead letters as an operator,
 * and waits for their delivery.
 */
export async function finishDeliveries(
  cluster: Cluster,
  { progress, signal }: { progress: (text: string) => void; signal: AbortSignal },
): Promise<Deliveries> {
  const untilZero = (stepsLeft: string): Promise<boolean> =>
    waitForQuiescence(cluster, { stalledMsMax: STALL_MS_MAX, signal, stepsLeft });
  const problems: string[] = [];
  if (!(await untilZero(HANDLED_LEFT))) problems.push('deliveries do not end');
  progress('every event is delivered that a consumer can handle');
  const deadLetters = await makeDeadLetters(cluster, signal);
  const departures = await cluster.query<{ what: string; documentId: string }>(DEPARTURES);
  problems.push(...departures.map(({ what, documentId }) => `${documentId} ${what}`));
  await rm(findDefectFile(cluster.directory));
  const retried = await retryDeadLetters(cluster);
  if (retried !== deadLetters) problems.push(`${retried} dead letters were retried of ${deadLetters}`);
  if (!(await untilZero(ALL_LEFT))) problems.push('retried dead letters do not end');
  progress(`${deadLetters} dead letters are retried`);
  const [{ delivered }] = await cluster.query<{ delivered: number }>(
    'SELECT count(*)::integer AS delivered FROM recorded_event',
  );
  return { delivered, deadLetters, problems, failedAttempts: await countFailedAttempts(cluster) };
}

/**
 * Waits until each unhandled document has a dead letter or there is no progress. Returns the number of dead letters.
 */
async function makeDeadLetters(cluster: Cluster, signal: AbortSignal): Promise<number> {
  const stallDetector = new StallDetector(STALL_MS_MAX, performance.now());
  for (;;) {
    signal.throwIfAborted();
    await cluster.query(BRING_FORWARD);
    const [{ documents, dead, attempts }] = await cluster.query<{ documents: number; dead: number; attempts: number }>(
      STATE,
    );
    if (dead === documents || stallDetector.isStalled(-attempts, performance.now())) return dead;
    await wait(POLL_MS);
  }
}

async function retryDeadLetters(cluster: Cluster): Promise<number> {
  const configuration = readConfiguration('operator', { DATABASE_OWNER_URL: cluster.ownerUrl });
  let [out, error] = ['', ''];
  const output = { out: (text: string) => (out += text), error: (text: string) => (error += text) };
  if ((await runCli(configuration, ['events', 'retry', FAILING, '--json'], output)) !== 0) throw new Error(error);
  return (JSON.parse(out) as { retried: object[] }).retried.length;
}

async function countFailedAttempts(cluster: Cluster): Promise<number> {
  let count = 0;
  for (const { program } of cluster.dispatchers) {
    const log = await readFile(path.join(cluster.directory, `${program.name}.log`), 'utf8');
    count += log.split('"A consumer failed to handle a document event"').length - 1;
  }
  return count;
}
