import { flushLogs, toggleDebugLog } from '../common/logging.js';
import { writeToStandardError } from '../common/log-writer.js';
import { type MetricsPage, type Readiness, serveMetrics } from '../common/metrics-page.js';
import { type Configuration, type ProcessRole, readConfiguration } from '../config/configuration.js';
import { armFailpoints } from '../common/failpoints/failpoints.js';
import { onLogSignal } from './log-signal.js';

/** What a process runs until it is told to stop. */
export interface RunningService {
  readonly service: { close(): Promise<void> };
  /** Of a process that shows its readiness next to its metrics. */
  readonly readReadiness?: () => Promise<Readiness>;
}

const STARTING: Readiness = { isReady: false, body: { code: 'starting', message: 'The process starts' } };

/**
 * Reads the settings, opens the metrics, starts a service, and stops it on SIGTERM or SIGINT; a second signal ends the
 * process immediately. A start that fails says why on standard error and exits with 1. A port of the metrics that cannot be
 * opened is such: nothing has begun by then, no login and no call.
 */
export async function runProcess(
  role: ProcessRole,
  start: (configuration: Configuration) => Promise<RunningService>,
): Promise<void> {
  try {
    const configuration = readConfiguration(role);
    armFailpoints(configuration.failpoints);
    let running: RunningService | null = null;
    const readReadiness = (): Promise<Readiness> => running?.readReadiness?.() ?? Promise.resolve(STARTING);
    const metrics = await openMetrics(configuration, role === 'dispatcher' ? readReadiness : undefined);
    running = await start(configuration);
    stopOnSignal(running, metrics);
    onLogSignal(toggleDebugLog);
  } catch (error) {
    fail(error);
  }
}

async function openMetrics(
  { metricsPort: port, metricsHost: host }: Configuration,
  readReadiness?: () => Promise<Readiness>,
): Promise<MetricsPage> {
  try {
    return await serveMetrics(port, { host, readReadiness });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isTaken = 'code' in error && error.code === 'EADDRINUSE';
    const reason = isTaken ? `Port ${port} is taken` : `Port ${port} cannot be opened (${error.message})`;
    throw new Error(`${reason}: set METRICS_PORT to a free one; nothing was started`, { cause: error });
  }
}

// npm passes on a Ctrl-C that the terminal has sent to everybody already: only a later one is a second.
const REPEATED_SIGNAL_MS = 1_000;

function stopOnSignal({ service }: RunningService, metrics: MetricsPage): void {
  let stoppedAt: number | null = null;
  const stop = (): void => {
    if (stoppedAt !== null && performance.now() - stoppedAt < REPEATED_SIGNAL_MS) return;
    if (stoppedAt !== null) process.exit(1);
    stoppedAt = performance.now();
    // Last, so that a dispatcher can be seen to drain.
    service
      .close()
      .then(() => metrics.close())
      .then(() => flushLogs())
      .then(() => process.exit(0), fail);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function fail(error: unknown): never {
  writeToStandardError(`${explain(error)}\n`);
  process.exit(1);
}

/** What to do about the SQL state of a statement that the start needs. */
const FIXES: readonly (readonly [code: RegExp, fix: string])[] = [
  [/^42(?:P01|703|883)$/, 'run "npm run migrate" as the owner, then start again'],
  [/^42501$/, 'run its GRANT of src/database/ again as the owner'],
];

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'EADDRINUSE' && 'port' in error) {
    return `Port ${String(error.port)} is taken: set PORT to a free one`;
  }
  const fix = 'code' in error ? FIXES.find(([code]) => code.test(String(error.code)))?.[1] : undefined;
  if (fix !== undefined) return `${error.message}: ${fix}`;
  return error.message;
}
