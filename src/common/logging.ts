import type { LoggerService } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { destination, type Logger, pino } from 'pino';
import { getTraceId } from '../tracing/traceparent.js';

export interface LogSettings {
  readonly level: string;
  /** Where the lines go instead of standard output. */
  readonly logFile?: string;
}

// Lines are written together, since a write for each costs a request more than its rules do. What a killed process has
// not written yet is at most the last tenth of a second; a process that ends by itself writes everything.
const LINES_BYTES = 4_096;
const LINES_MS = 100;
// Kept while they cannot be written, as on a full disk; beyond it lines are lost, and not the process.
const WAITING_BYTES_MAX = 10_000_000;

const loggers = new Set<Logger>();

/**
 * Switches the logs of this process to `debug`, or back to the level of the settings (docs/monitoring.md#logs): for an
 * hour of looking, no restart is needed. @returns the level of each log from now on
 */
export function toggleDebugLog(): string[] {
  return [...loggers].map((logger) => {
    const usual = usualLevels.get(logger) ?? 'info';
    const level = logger.level === 'debug' ? usual : 'debug';
    if (usual !== 'debug') logger.level = level;
    // Also where the usual level would hide it.
    logger[logger.isLevelEnabled('info') ? 'info' : 'fatal']({ msg: `The log level is ${logger.level}` });
    return logger.level;
  });
}

const usualLevels = new WeakMap<Logger, string>();

/**
 * JSON lines for machines (docs/rules.md#health-metrics-and-logs). Nothing that a caller sent is ever logged but ids
 * that we or they made for tracing.
 */
export function createLogger({ level, logFile }: LogSettings): Logger {
  const stream = destination({
    dest: logFile ?? 1,
    mkdir: true,
    mode: 0o600,
    sync: false,
    minLength: LINES_BYTES,
    maxLength: WAITING_BYTES_MAX,
  });
  let isWritable = true;
  let waitingBytes = 0;
  let timer: NodeJS.Timeout | null = null;
  // The library's own timer would write every tenth of a second, also when there is nothing to write.
  const flushSoon = (): void => {
    timer ??= setTimeout(() => {
      timer = null;
      stream.flush();
    }, LINES_MS).unref();
  };
  stream.on('error', (error: Error) => {
    if (isWritable) process.stderr.write(`The log cannot be written, and waits: ${error.message}\n`);
    isWritable = false;
    flushSoon();
  });
  stream.on('write', (bytes: number) => {
    isWritable = true;
    waitingBytes -= bytes;
    // Came while the others were written.
    if (waitingBytes > 0) flushSoon();
  });
  stream.on('drop', (line: string) => (waitingBytes -= Buffer.byteLength(line)));
  stream.once('close', () => clearTimeout(timer ?? undefined));
  const lines = {
    write: (line: string): void => {
      waitingBytes += Buffer.byteLength(line);
      stream.write(line);
      flushSoon();
    },
  };
  const logger = pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, lines);
  usualLevels.set(logger, level);
  loggers.add(logger);
  stream.once('close', () => loggers.delete(logger));
  return logger;
}

/** Nest's own messages, and those of our services, through the same logger. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger.info(toLogLine(message, context));
  }

  warn(message: unknown, context?: string): void {
    this.logger.warn(toLogLine(message, context));
  }

  error(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    this.logger.error({ ...toLogLine(message, typeof context === 'string' ? context : undefined) });
  }

  debug(message: unknown, context?: string): void {
    this.logger.debug(toLogLine(message, context));
  }
}

function toLogLine(message: unknown, context: string | undefined): Record<string, unknown> {
  if (message instanceof Error) return { context, msg: message.message, stack: message.stack };
  if (typeof message === 'object' && message !== null) return { context, ...message };
  return { context, msg: typeof message === 'string' ? message : JSON.stringify(message) };
}

/** Which organisation, and in it which API key or user; of a user only what is a member's to do. */
function describeCaller({ caller, session, params }: FastifyRequest): Record<string, string | undefined> {
  if (caller !== undefined) {
    const { tenantId, environment, actor } = caller;
    return { tenantId, environment, ...actor };
  }
  if (session === undefined) return {};
  const { tenantId, environment } = params as { tenantId?: string; environment?: string };
  return { tenantId, environment, userId: session.userId };
}

/** Logs caller, route and outcome of each request, health checks at `debug` (docs/rules.md#health-metrics-and-logs). */
export function logRequests(fastify: FastifyInstance, logger: Logger): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    logger[request.routeOptions.config.isHealthCheck ? 'debug' : 'info']({
      requestId: request.id,
      traceId: getTraceId(request.span),
      ...describeCaller(request),
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      code: request.errorCode,
      milliseconds: Math.round(reply.elapsedTime * 10) / 10,
    });
    done();
  });
}
