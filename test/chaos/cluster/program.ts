import { readFileSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { HEAP_LIMIT } from '../../support/processes.js';
import { type Ended, type Program, startProgram } from '../../support/program.js';

export interface SupervisedOptions {
  readonly name: string;
  /** The compiled program. */
  readonly file: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly logFile: string;
  /**
   * What it logs once it has started: until then its end is a start that failed, as one that finds no database does.
   */
  readonly startedLine: string;
}

const RESTART_MS = 300;
// A call under way ends within its deadline of seconds; a statement may take ten, and a silent link is waited for as
// long.
const STOP_MS_MAX = 30_000;

/** A process of the service, started again whenever it has gone, as an operator's supervisor does. */
export class SupervisedProgram {
  /** What it did that nobody asked for. */
  readonly violations: string[] = [];
  private program: Program | null = null;
  private startedAt = 0;
  /** Where this start's lines begin in the log. */
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

  /** SIGKILL; it is started again. */
  kill(): void {
    this.isKilled = true;
    this.program?.kill('SIGKILL');
  }

  /** Is suspended without knowing it, and continues later: to itself, no time has passed but on the clocks. */
  freeze(): void {
    this.program?.kill('SIGSTOP');
  }

  thaw(): void {
    this.program?.kill('SIGCONT');
  }

  /** SIGTERM, as a rolling update sends it; started again. It must end by itself and in order. */
  async restart(): Promise<void> {
    if (this.program !== null) this.isKilled = true;
    await this.endInOrder();
  }

  /** SIGTERM, permanently. */
  async stop(): Promise<void> {
    this.isWanted = false;
    await this.endInOrder();
  }

  /** SIGKILL, permanently. */
  async end(): Promise<void> {
    this.isWanted = false;
    this.program?.kill('SIGKILL');
    await this.program?.ended;
  }

  /** A second signal would end it immediately, as it is meant to: who asks while it is ending waits for that end. */
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
    // Before it listens for signals, SIGTERM ends it; another fault may have killed it meanwhile.
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

  /** Of the start that came last; a next one begins after `RESTART_MS`. */
  private hasStarted(): boolean {
    return readFileSync(this.options.logFile).includes(this.options.startedLine, this.logStart);
  }
}
