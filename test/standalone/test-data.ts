import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Program, REPOSITORY, startProgram } from '../support/program.js';

/** Data folder of a test and the programs that use it. */
export class TestData {
  private readonly programs: Program[] = [];

  private constructor(
    /** Parent of the data folder. */
    readonly parent: string,
    readonly folder: string,
  ) {}

  /** @param template data folder of a stopped service to copy */
  static async create(template?: TestData): Promise<TestData> {
    const parent = await mkdtemp(path.join(tmpdir(), 'einvoice-data-'));
    const data = new TestData(parent, path.join(parent, 'data'));
    if (template !== undefined) {
      // Keeps the owner of PostgreSQL's files, which is not root.
      await promisify(execFile)('cp', ['-a', template.folder, data.folder]);
    }
    return data;
  }

  start(program: string, ...words: string[]): Program {
    return this.startWith({}, program, ...words);
  }

  startWith(environment: NodeJS.ProcessEnv, program: string, ...words: string[]): Program {
    const settings = { DATA_DIR: this.folder, PORT: '0', METRICS_PORT: '0', ...environment };
    const started = startProgram([path.join(REPOSITORY, 'dist/standalone', `${program}.js`), ...words], settings);
    this.programs.push(started);
    return started;
  }

  async stopPrograms(): Promise<void> {
    for (const program of this.programs) await program.stop();
  }

  /** Deletes the data. */
  clear(): Promise<void> {
    return rm(this.folder, { recursive: true });
  }

  remove(): Promise<void> {
    return rm(this.parent, { recursive: true, force: true });
  }
}
