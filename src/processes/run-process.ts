import { serveMetrics } from '../common/metrics.js';

/** What a process runs until it is told to stop. */
interface Closable {
  close(): Promise<void>;
}

interface Started {
  readonly service: Closable;
  readonly metricsPort: number;
  readonly metricsHost?: string;
}

/**
 * Starts a service and its metrics, and stops them in order on SIGTERM or SIGINT; a second signal ends the process at
 * once. A start that fails says why on standard error and exits with 1.
 */
export async function runProcess(start: () => Promise<Started>): Promise<void> {
  try {
    const { service, metricsPort, metricsHost } = await start();
    const metrics = await serveMetrics(metricsPort, metricsHost).catch(async (error: unknown) => {
      await service.close();
      throw error;
    });
    stopOnSignal([service, metrics]);
  } catch (error) {
    fail(error);
  }
}

// npm passes on a Ctrl-C that the terminal has sent to everybody already: only a later one is a second.
const REPEATED_SIGNAL_MS = 1_000;

function stopOnSignal(opened: readonly Closable[]): void {
  let stoppedAt: number | null = null;
  const stop = (): void => {
    if (stoppedAt !== null && performance.now() - stoppedAt < REPEATED_SIGNAL_MS) return;
    if (stoppedAt !== null) process.exit(1);
    stoppedAt = performance.now();
    Promise.all(opened.map((service) => service.close())).then(() => process.exit(0), fail);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function fail(error: unknown): never {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'EADDRINUSE' && 'port' in error) {
    return `Port ${String(error.port)} is taken: set PORT or METRICS_PORT to a free one`;
  }
  return error.message;
}
