import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

export interface ProgramOptions {
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
const HEAP_MEBIBYTES_MAX = 512;

/** A process of the service, started again whenever it has gone, as an operator's supervisor does. */
export class Program {
  /** What it did that nobody asked for. */
  readonly violations: string[] = [];
  private child: ChildProcess | null = null;
  private startedAt = 0;
  /** Where this start's lines begin in the log. */
  private logStart = 0;
  private ending: Promise<void> | null = null;
  private isWanted = false;
  private isKilled = false;

  constructor(private readonly options: ProgramOptions) {}

  get name(): string {
    return this.options.name;
  }

  start(): void {
    this.isWanted = true;
    this.isKilled = false;
    this.startedAt = Date.now();
    const log = openSync(this.options.logFile, 'a');
    this.logStart = fstatSync(log).size;
    const { file, environment } = this.options;
    const child = spawn(
      process.execPath,
      [`--max-old-space-size=${HEAP_MEBIBYTES_MAX}`, '--enable-source-maps', file],
      // A separate group: Ctrl-C reaches us alone.
      {
        env: { PATH: process.env.PATH, TMPDIR: tmpdir(), ...environment },
        stdio: ['ignore', log, log],
        detached: true,
      },
    );
    this.child = child;
    // Before anything is waited for: it may have ended by then, and nobody would be told.
    child.once('exit', (code, signal) => this.onExit(child, { code, signal }));
    closeSync(log);
  }

  /** SIGKILL; it is started again. */
  kill(): void {
    this.isKilled = true;
    this.child?.kill('SIGKILL');
  }

  /** Is suspended without knowing it, and continues later: to itself, no time has passed but on the clocks. */
  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  /** SIGTERM, as a rolling update sends it; started again. It must end by itself and in order. */
  async restart(): Promise<void> {
    if (this.child !== null) this.isKilled = true;
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
    const child = this.child;
    if (child === null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  /** A second signal would end it immediately, as it is meant to: who asks while it is ending waits for that end. */
  private async endInOrder(): Promise<void> {
    if (this.child === null) return;
    this.ending ??= this.terminate(this.child).finally(() => (this.ending = null));
    await this.ending;
  }

  private async terminate(child: ChildProcess): Promise<void> {
    const exit = once(child, 'exit', { signal: AbortSignal.timeout(STOP_MS_MAX) });
    child.kill('SIGTERM');
    try {
      const [code, signal] = (await exit) as [number | null, NodeJS.Signals | null];
      // Before it has begun to listen for signals, SIGTERM ends it; a fault of ours may have killed it meanwhile.
      if (code !== 0 && signal === null && this.hasStarted())
        this.violations.push(`${this.name} ended with ${code} after SIGTERM`);
    } catch {
      this.violations.push(`${this.name} did not end within ${STOP_MS_MAX / 1_000} s after SIGTERM`);
      child.kill('SIGKILL');
    }
  }

  private onExit(child: ChildProcess, { code, signal }: { code: number | null; signal: string | null }): void {
    if (this.child === child) this.child = null;
    const ageMs = Date.now() - this.startedAt;
    if (!this.isKilled && this.isWanted && this.hasStarted()) {
      this.violations.push(`${this.name} ended by itself with ${code ?? signal} after ${Math.round(ageMs / 1_000)} s`);
    }
    if (!this.isWanted) return;
    void wait(RESTART_MS).then(() => {
      if (this.isWanted && this.child === null) this.start();
    });
  }

  /** Of the start that came last; a next one begins after `RESTART_MS`. */
  private hasStarted(): boolean {
    return readFileSync(this.options.logFile).includes(this.options.startedLine, this.logStart);
  }
}
