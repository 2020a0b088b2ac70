import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type StartedServer, startApiProcess, startDispatcherProcess } from '../support/processes.js';
import { buildPrograms, REPOSITORY, startProgram } from '../support/program.js';
import { TestService } from '../support/service.js';
import { until } from '../support/until.js';

// Logging never blocks or ends a process (docs/monitoring.md#logs).

const TIMEOUT_MS = 180_000;
const FULL_DEVICE = '/dev/full';
const DISK_SIZE = '64k';

type Server = StartedServer & { readonly metricsUrl: string };

const PROCESSES = {
  API: (settings: Record<string, string>, redirection: string): Promise<Server> =>
    startApiProcess(settings, { redirection }),
  dispatcher: async (settings: Record<string, string>, redirection: string): Promise<Server> => {
    const server = await startDispatcherProcess(settings, { redirection });
    return Object.assign(server, { metricsUrl: `${server.url}/metrics` });
  },
};

let service: TestService;
let folder: string;
let settings: Record<string, string>;
const started: StartedServer[] = [];
const opened: number[] = [];

beforeAll(async () => {
  await buildPrograms();
  service = await TestService.start();
  folder = mkdtempSync(path.join(tmpdir(), 'einvoice-log-'));
  settings = { ...service.settings, LOG_LEVEL: 'info' };
}, TIMEOUT_MS);
afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => {
  for (const server of started.splice(0)) server.kill('SIGKILL');
  for (const descriptor of opened.splice(0)) closeSync(descriptor);
});

/** Creates a pipe without a reader. */
function createPipe(name: string): { readonly file: string; readonly descriptor: number } {
  const file = path.join(folder, `${name}-${opened.length}-${process.hrtime.bigint()}`);
  execFileSync('mkfifo', [file]);
  const descriptor = openSync(file, constants.O_RDWR | constants.O_NONBLOCK);
  opened.push(descriptor);
  return { file, descriptor };
}

/** Creates a full pipe. */
function createFullPipe(name: string): string {
  const { file, descriptor } = createPipe(name);
  try {
    for (;;) writeSync(descriptor, Buffer.alloc(4_096));
  } catch (error) {
    expect(error).toMatchObject({ code: 'EAGAIN' });
  }
  return file;
}

async function readDropped({ metricsUrl }: Server): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  return Number(/^einvoice_log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
}

/** Sends requests that each write a line. */
async function sendRequests({ url }: Server, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) {
    expect((await fetch(`${url}/none`, { headers: { 'X-Request-Id': `request-${sent}` } })).status).toBe(404);
  }
}

async function expectStop(server: Server): Promise<void> {
  server.kill('SIGTERM');
  expect(await server.ended).toEqual({ exitCode: 0, signal: null });
}

describe.each(['API', 'dispatcher'] as const)('the %s', { timeout: TIMEOUT_MS }, (name) => {
  async function start(redirection: string): Promise<Server> {
    const server = await PROCESSES[name](settings, redirection);
    started.push(server);
    return server;
  }

  it.skipIf(!existsSync(FULL_DEVICE)).each([
    ['standard output is', '>/dev/full'],
    ['standard output and standard error are', '>/dev/full 2>/dev/full'],
  ])('keeps serving and counts lost log lines while %s on a full disk', async (_, redirection) => {
    const server = await start(redirection);
    await until('lines are dropped', async () => (await readDropped(server)) > 0);
    await expectStop(server);
  });

  it('keeps serving while its output pipes are full', async () => {
    const server = await start(`>${createFullPipe('out')} 2>${createFullPipe('error')}`);
    expect(await readDropped(server)).toBe(0);
    await expectStop(server);
  });

  it('keeps serving and counts lost log lines after its output pipes are closed', async () => {
    const pipes = [createPipe('out'), createPipe('error')];
    const server = await start(`>${pipes[0].file} 2>${pipes[1].file}`);
    for (const descriptor of opened.splice(0)) closeSync(descriptor);
    server.kill('SIGUSR2');
    await until('lines are dropped', async () => (await readDropped(server)) > 0);
    await expectStop(server);
  });
});

describe('the API', { timeout: TIMEOUT_MS }, () => {
  it.skipIf(!existsSync(FULL_DEVICE))(
    'exits with 1 after a failed start with standard error on a full disk',
    async () => {
      const file = path.join(REPOSITORY, 'dist/src/processes/api.js');
      const prefix = ['sh', '-c', 'exec "$@" >/dev/full 2>/dev/full', 'sh'];
      expect(await startProgram([file], {}, { prefix }).ended).toEqual({ exitCode: 1, signal: null });
    },
  );

  it('writes complete log lines again once the disk has free space', async ({ skip }) => {
    const disk = path.join(folder, 'disk');
    mkdirSync(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_SIZE}`, 'tmpfs', disk], { stdio: 'ignore' });
    } catch {
      skip('Only root can mount a small disk');
    }
    try {
      const log = path.join(disk, 'log');
      const server = await PROCESSES.API(settings, `>>${log} 2>&1`);
      started.push(server);
      await until('lines are dropped', async () => {
        await sendRequests(server, 50);
        return (await readDropped(server)) > 0;
      });
      truncateSync(log);
      await until('a line is written', async () => {
        await sendRequests(server, 1);
        return readFileSync(log, 'utf8').includes('request-0');
      });
      await expectStop(server);
      const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
      // The first line may be the rest of an earlier one.
      const whole = lines.filter((line) => line.startsWith('{'));
      expect(whole.length).toBeGreaterThanOrEqual(lines.length - 1);
      expect(() => whole.map((line) => JSON.parse(line) as unknown)).not.toThrow();
    } finally {
      for (const server of started.splice(0)) await server.stop();
      execFileSync('umount', ['-l', disk]);
    }
  });
});
