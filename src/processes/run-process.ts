import { flushLogs, toggleDebugLog } from '../common/logging.js';
import { writeToStandardError } from '../common/log-writer.js';
import { type MetricsPage, type Readiness, serveMetrics } from '../common/metrics-page.js';
import { type Configuration, type ProcessRole, readConfiguration } from '../config/configuration.js';
import { armFailpoints } from '../common/failpoints/failpoints.js';
import { onLogSignal } from './log-signal.js';

export interface RunningService {
  readonly service: { close(): Promise<void> };
  /** Readiness for processes that serve it next to their metrics. */
  readonly readReadiness?: () => Promise<Readiness>;
}

const STARTING: Readiness = { isReady: false, body: { code: 'starting', message: 'The process starts' } };

/**
 * Runs a service until SIGTERM or SIGINT; a second signal exits immediately. If the start fails, prints the reason and
 * exits with 1. The metrics port is opened first, so that a failure to open it has no side effects.
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
    throw new Error(`${reason}: set METRICS_PORT to a free port; the process did not start`, { cause: error });
  }
}

// npm forwards a Ctrl-C that the process has already received, so an immediate second signal is ignored.
const REPEATED_SIGNAL_MS = 1_000;

function stopOnSignal({ service }: RunningService, metrics: MetricsPage): void {
  let stoppedAt: number | null = null;
  const stop = (): void => {
    if (stoppedAt !== null && performance.now() - stoppedAt < REPEATED_SIGNAL_MS) return;
    if (stoppedAt !== null) process.exit(1);
    stoppedAt = performance.now();
    // The metrics close last, so that draining is visible.
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

const FIXES: readonly (readonly [code: RegExp, fix: string])[] = [
  [/^42(?:P01|703|883)$/, 'run "npm run migrate" as the owner, then start again'],
  [/^42501$/, 'repeat its GRANT from src/database/ as the owner'],
];

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'EADDRINUSE' && 'port' in error) {
    return `Port ${String(error.port)} is taken: set PORT to a free port`;
  }
  const fix = 'code' in error ? FIXES.find(([code]) => code.test(String(error.code)))?.[1] : undefined;
  if (fix !== undefined) return `${error.message}: ${fix}`;
  return error.message;
}
