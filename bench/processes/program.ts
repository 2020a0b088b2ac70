import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Closing } from '../../standalone/program.js';
import { type Program, startProgram, untilReady } from '../../test/support/program.js';
import { buildFile } from '../builds/build-file.js';

const DIST = fileURLToPath(new URL('../../', import.meta.url));

// Without a limit V8 sizes its heap by the machine's memory, and keeps what a rush of large bodies made it take.
const HEAP_MEBIBYTES_MAX = 512;

export interface ProgramOptions {
  /** In the build: `src/processes/api.js`. */
  readonly program: string;
  /** The folder of the build, when it is not this one. */
  readonly dist?: string;
  readonly parameters?: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
  /** Where the log goes: an operator's goes to a file or a collector too. */
  readonly logFile: string;
  /** Responds with 200 as soon as the program works. */
  readonly readyUrl: string;
}

/**
 * A program of the project as an operator runs it: compiled, with a limited heap. Without NODE_ENV=production, which
 * refuses the simulator.
 */
export async function startCompiled(closing: Closing, options: ProgramOptions): Promise<Program> {
  const { program, dist = DIST, parameters = [], settings = {}, logFile, readyUrl } = options;
  const command = [`--max-old-space-size=${HEAP_MEBIBYTES_MAX}`, buildFile(dist, program), ...parameters];
  const started = startProgram(command, settings, { logFile, cwd: path.dirname(logFile), detached: true });
  await closing.add({ close: () => started.stop(), kill: () => started.kill('SIGKILL') });
  await untilReady(started, readyUrl);
  return started;
}
