import type { LoggerService } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Logger, pino } from 'pino';
import { getTraceId } from '../observability/tracing/tracing.js';
import { guardStandardStreams, LogWriter, writeToStandardError } from './log-writer.js';
import { countDroppedLogLines } from './metrics.js';

export interface LogSettings {
  readonly level: string;
  readonly logFile?: string;
}

const loggers = new Map<Logger, LogWriter>();

/** Toggles between `debug` and the configured level, and returns the new levels (docs/monitoring.md#logs). */
export function toggleDebugLog(): string[] {
  return [...loggers.keys()].map((logger) => {
    const usual = usualLevels.get(logger) ?? 'info';
    const level = logger.level === 'debug' ? usual : 'debug';
    if (usual !== 'debug') logger.level = level;
    logger[logger.isLevelEnabled('info') ? 'info' : 'fatal']({ msg: `The log level is ${logger.level}` });
    return logger.level;
  });
}

const usualLevels = new WeakMap<Logger, string>();

/** Creates a JSON logger. Callers must not log values from clients, except tracing ids. */
export function createLogger({ level, logFile }: LogSettings): Logger {
  guardStandardStreams();
  let isComplete = true;
  const writer = new LogWriter({
    file: logFile,
    onDrop: (lines) => {
      countDroppedLogLines(lines);
      if (isComplete) writeToStandardError('The log cannot be written: lines are dropped\n');
      isComplete = false;
    },
  });
  const logger = pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, writer);
  usualLevels.set(logger, level);
  loggers.set(logger, writer);
  return logger;
}

export async function flushLogs(): Promise<void> {
  await Promise.all([...loggers.values()].map((writer) => writer.flush()));
}

process.on('exit', () => {
  for (const writer of loggers.values()) writer.flushSync();
});

export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger.info(toLogLine(message, context));
  }

  warn(message: unknown, context?: string): void {
    // Ignores warnings about equal data source names, which do not conflict between applications of one process.
    if (context === 'DataSourceNameRegistry') return;
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

function describeCaller({ caller, session, params }: FastifyRequest): Record<string, string | undefined> {
  if (caller !== undefined) {
    const { tenantId, environment, actor } = caller;
    return { tenantId, environment, ...actor };
  }
  if (session === undefined) return {};
  const { tenantId, environment } = params as { tenantId?: string; environment?: string };
  return { tenantId, environment, userId: session.userId };
}

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
