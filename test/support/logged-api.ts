import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.js';
import { createApi } from '../../src/processes/api-application.js';
import type { TestService } from './service.js';
import { until } from './until.js';

type LogLine = Record<string, unknown>;

export interface LoggedApi {
  /** The service whose `url` is the one of this API. */
  readonly service: TestService;
  /** Waits until the log contains the lines of this many requests, and returns all lines. */
  readLines(expected: { readonly requests: number }): Promise<LogLine[]>;
}

/** Starts another API on the database of the service, which logs at the default level into a file. */
export async function startLoggedApi(service: TestService, file?: string): Promise<LoggedApi> {
  const folder = await mkdtemp(path.join(tmpdir(), 'einvoice-log-'));
  const logFile = file ?? path.join(folder, 'log');
  const { LOG_LEVEL: _silent, ...settings } = service.settings;
  const api = await createApi(readConfiguration('api', settings), { logFile });
  onTestFinished(async () => {
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });
  await api.listen(0, '127.0.0.1');
  const { port } = api.getHttpServer().address() as AddressInfo;
  const readLines = async ({ requests }: { requests: number }): Promise<LogLine[]> => {
    let lines: LogLine[] = [];
    await until(`the log has ${requests} requests`, async () => {
      const text = await readFile(logFile, 'utf8');
      // The last line may be incomplete.
      lines = text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as LogLine);
      return lines.filter((line) => 'status' in line).length >= requests;
    });
    return lines;
  };
  return {
    service: Object.create(service, { url: { value: `http://127.0.0.1:${port}/api` } }) as TestService,
    readLines,
  };
}
