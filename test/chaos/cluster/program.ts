import { readFileSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { HEAP_LIMIT } from '../../support/processes.js';
import { type Ended, type Program, startProgram } from '../../support/program.js';

export interface SupervisedOptions {
  readonly name: string;
  readonly file: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly logFile: string;
  /** Log line of a successful start. An earlier exit counts as a failed start, such as without a database. */
  readonly startedLine: string;
}

const RESTART_MS = 300;
// Statements and silent connections time out after ten seconds each.
const STOP_MS_MAX = 30_000;

/** Process of the service that is restarted after each exit, as by an operator's supervisor. */
export class SupervisedProgram {
  readonly violations: string[] = [];
  private program: Program | null = null;
  private startedAt = 0;
  /** Size of the log before the last start. */
  private logStart = 0;
  private ending: Promise<void> | null = null;
  private isWanted = false;
  private isKilled = false;

  constructor(private readonly options: SupervisedOptions) {}

  get name(): string {
    return this.options.name;
  }

  start(): void {
    this.isWanted = true;
    this.isKilled = false;
    this.startedAt = Date.now();
    const { file, environment, logFile } = this.options;
    this.logStart = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
    const program = startProgram([HEAP_LIMIT, '--enable-source-maps', file], environment, { logFile });
    this.program = program;
    void program.ended.then((ended) => this.onEnd(program, ended));
  }

  /** Sends SIGKILL. The program is restarted. */
  kill(): void {
    this.isKilled = true;
    this.program?.kill('SIGKILL');
  }

  /** Suspends the process until thaw(). */
  freeze(): void {
    this.program?.kill('SIGSTOP');
  }

  thaw(): void {
    this.program?.kill('SIGCONT');
  }

  /** Sends SIGTERM as in a rolling update. The program must exit with 0 and is restarted. */
  async restart(): Promise<void> {
    if (this.program !== null) this.isKilled = true;
    await this.endInOrder();
  }

  /** Sends SIGTERM without a restart. */
  async stop(): Promise<void> {
    this.isWanted = false;
    await this.endInOrder();
  }

  /** Sends SIGKILL without a restart. */
  async end(): Promise<void> {
    this.isWanted = false;
    this.program?.kill('SIGKILL');
    await this.program?.ended;
  }

  /** Concurrent callers share one SIGTERM, because a second signal would end the process immediately. */
  private async endInOrder(): Promise<void> {
    if (this.program === null) return;
    this.ending ??= this.terminate(this.program).finally(() => (this.ending = null));
    await this.ending;
  }

  private async terminate(program: Program): Promise<void> {
    const deadline = setTimeout(() => {
      this.violations.push(`${this.name} did not end within ${STOP_MS_MAX / 1_000} s after SIGTERM`);
      program.kill('SIGKILL');
    }, STOP_MS_MAX);
    program.kill('SIGTERM');
    const { exitCode, signal } = await program.ended;
    clearTimeout(deadline);
    // SIGTERM kills a process that does not listen for signals yet. Another fault may kill the process meanwhile.
    if (exitCode !== 0 && signal === null && this.hasStarted())
      this.violations.push(`${this.name} ended with ${exitCode} after SIGTERM`);
  }

  private onEnd(program: Program, { exitCode, signal }: Ended): void {
    if (this.program === program) this.program = null;
    const ageMs = Date.now() - this.startedAt;
    if (!this.isKilled && this.isWanted && this.hasStarted()) {
      this.violations.push(
        `${this.name} ended by itself with ${exitCode ?? signal} after ${Math.round(ageMs / 1_000)} s`,
      );
    }
    if (!this.isWanted) return;
    void wait(RESTART_MS).then(() => {
      if (this.isWanted && this.program === null) this.start();
    });
  }

  private hasStarted(): boolean {
    return readFileSync(this.options.logFile).includes(this.options.startedLine, this.logStart);
  }
}
