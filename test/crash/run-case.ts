import type { Boundary } from '../../src/common/failpoints/boundaries.js';
import {
  type Failpoint,
  nameFailpoint,
  type FailpointMode,
  formatHitLine,
} from '../../src/common/failpoints/failpoints.js';
import type { StartedServer } from '../support/processes.js';
import type { Program } from '../support/program.js';
import { findProblems } from './checks.js';
import { attempt, type ClientResponse, type ClientRequest, retryUntilAnswered } from './client.js';
import { Play } from './play.js';
import { type ApiScenario, type DispatcherScenario, SCENARIOS } from './scenarios.js';
import type { Stage } from './stage.js';

export type Side = 'before' | 'after';

export interface CrashCase {
  readonly boundary: Boundary;
  readonly side: Side;
  readonly mode: FailpointMode;
}

export interface CaseResult {
  readonly case: CrashCase;
  readonly seconds: number;
  /** Time from the failure of the API to the response of the retry, or null for dispatcher cases. */
  readonly retryMs: number | null;
  /** Empty if the case passed. */
  readonly problems: readonly string[];
}

// On a quiet machine, the retry takes at most one second. If a crashed process blocked it, the database would end the
// process's transaction only after ten seconds.
const RETRY_MS_MAX = 8_000;
const HIT_MS_MAX = 20_000;

/** Runs a case. Errors become problems of the result. */
export async function runCase(stage: Stage, crash: CrashCase): Promise<CaseResult> {
  const begun = performance.now();
  let outcome: { problems: readonly string[]; retryMs: number | null };
  try {
    outcome = await played(stage, crash);
  } catch (error) {
    outcome = { problems: [describeError(error)], retryMs: null };
  }
  return { case: crash, seconds: (performance.now() - begun) / 1_000, ...outcome };
}

export function getFailpoint({ boundary, side }: CrashCase): Failpoint {
  return nameFailpoint(boundary, side);
}

async function played(stage: Stage, crash: CrashCase): Promise<{ problems: string[]; retryMs: number | null }> {
  const scenario = SCENARIOS[crash.boundary];
  if (scenario.process === 'dispatcher') {
    await stage.withoutDispatcher();
    const play = await Play.begin(stage);
    await withDispatcher(play, scenario, crash);
    return { problems: await findProblems(play), retryMs: null };
  }
  const play = await Play.begin(stage);
  await stage.withDispatcher();
  const retryMs = await withApi(play, scenario, crash);
  await stage.until('every document has its end', () => play.isQuiescent());
  const problems = await findProblems(play);
  if (retryMs > RETRY_MS_MAX) problems.push(`the retry had its response after ${Math.round(retryMs)} ms`);
  return { problems, retryMs };
}

function failpointSetting(crash: CrashCase): Record<string, string> {
  return { FAILPOINT: `${getFailpoint(crash)}:${crash.mode}` };
}

async function withDispatcher(play: Play, scenario: DispatcherScenario, crash: CrashCase): Promise<void> {
  const { stage } = play;
  await scenario.arrange(play);
  const failing = await stage.startDispatcher({ ...scenario.settings, ...failpointSetting(crash) });
  const started = [failing];
  try {
    await scenario.act?.(play);
    const hit = formatHitLine(getFailpoint(crash), crash.mode);
    await stage.until(`"${hit}" is written`, () => failing.output.includes(hit) || !failing.isRunning());
    await assertExpectedFailure(failing, crash);
    await scenario.recover?.(play);
    // A process that only threw an error continues by itself.
    if (crash.mode !== 'throw' || scenario.needsSuccessor) started.push(await stage.startDispatcher({}));
    await stage.until('every document has its end', () => play.isQuiescent());
    await scenario.finally?.(play);
  } catch (error) {
    throw new Error(`${describeError(error)}${takeLastLines(started)}`, { cause: error });
  } finally {
    for (const program of started) program.kill('SIGKILL');
    await Promise.all(started.map(({ ended }) => ended));
  }
}

/** Calls the failing API and then the working API. Returns the duration of the second call in milliseconds. */
async function withApi(play: Play, scenario: ApiScenario, crash: CrashCase): Promise<number> {
  const call = await scenario.arrange(play);
  const failing = await play.stage.startApi({ ...scenario.settings, ...failpointSetting(crash) });
  try {
    await scenario.act?.(play);
    const early = await firstTry({ play, scenario, crash, call, failing });
    await scenario.recover?.(play);
    const begun = performance.now();
    const response = await retryUntilAnswered(play.stage.api.url, play.tenant, call);
    const retryMs = performance.now() - begun;
    assertFinalResponse(response, { early, scenario, crash });
    if (hasSettled(call.path) && response.status < 300) play.acknowledge(call, response);
    return retryMs;
  } catch (error) {
    throw new Error(`${describeError(error)}${takeLastLines([failing])}`, { cause: error });
  } finally {
    // A scenario may have suspended the API.
    play.stage.api.kill('SIGCONT');
    failing.kill('SIGKILL');
    await failing.ended;
  }
}

interface FirstTry {
  readonly play: Play;
  readonly scenario: ApiScenario;
  readonly crash: CrashCase;
  readonly call: ClientRequest;
  readonly failing: StartedServer;
}

/** Sends the call to the failing process. Returns its response, or null without a response. */
async function firstTry({ play, scenario, crash, call, failing }: FirstTry): Promise<ClientResponse | null> {
  const client = new AbortController();
  const first = attempt(failing.url, play.tenant, call, client.signal);
  await failing.printed(formatHitLine(getFailpoint(crash), crash.mode), HIT_MS_MAX);
  await assertExpectedFailure(failing, crash);
  if (scenario.runsAlongside) return first;
  if (crash.mode === 'hang') client.abort();
  const early = await first;
  const wanted = crash.mode === 'throw' ? 500 : null;
  const status = early?.status ?? null;
  if (status !== wanted) throw new Error(`The first try was answered ${status}, not ${wanted}`);
  return early;
}

function assertFinalResponse(
  response: ClientResponse,
  { early, scenario, crash }: { early: ClientResponse | null; scenario: ApiScenario; crash: CrashCase },
): void {
  if (response.status !== scenario.status) throw new Error(`The retry's answer: ${response.status} ${response.text}`);
  const isReplayed = scenario.isReplayed(crash.side);
  if (isReplayed !== null && response.isReplayed !== isReplayed) throw new Error(`Replayed: ${response.isReplayed}`);
  if (early !== null && early.status < 300 && early.text !== response.text) throw new Error('Two answers to one key');
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns whether the service stores the response under the idempotency-key. */
function hasSettled(path: string): boolean {
  return path.endsWith('/submit') || path.endsWith('/cancel');
}

/** Asserts that the process was killed by SIGKILL in mode `kill`, and that it runs in other modes. */
async function assertExpectedFailure(program: Program, { mode }: CrashCase): Promise<void> {
  if (mode === 'kill') {
    const { signal, exitCode } = await program.ended;
    if (signal !== 'SIGKILL') throw new Error(`The process ended with ${signal ?? exitCode}, not by SIGKILL`);
  } else if (!program.isRunning()) {
    throw new Error('The process did not survive');
  }
}

const LINES_SHOWN = 12;

function takeLastLines(programs: readonly Program[]): string {
  const texts = programs.map((program) => program.output.trimEnd().split('\n').slice(-LINES_SHOWN).join('\n      '));
  return texts.map((text, index) => `\n    process ${index + 1} of the case:\n      ${text}`).join('');
}
