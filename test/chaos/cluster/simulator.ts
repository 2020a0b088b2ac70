import { controlSimulator, type StartedServer, startSimulatorProcess } from '../../support/processes.js';
import type { AuthorityCall, WireDocument } from '../checks/evidence.js';

/** Settings of `_control/settings`. */
export type SimulatorSettings = Readonly<Record<string, string | number | boolean>>;

/** Simulator process and its control calls. Faults never kill it, because its logs are in memory. */
export class SimulatorProcess {
  private constructor(private readonly program: StartedServer) {}

  static async start(options: {
    file: string;
    logFile: string;
    settings: SimulatorSettings;
  }): Promise<SimulatorProcess> {
    const { settings, ...processOptions } = options;
    const simulator = new SimulatorProcess(await startSimulatorProcess({}, processOptions));
    await simulator.control('settings', settings);
    return simulator;
  }

  get url(): string {
    return this.program.url;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  control(name: string, body: object): Promise<unknown> {
    return controlSimulator(this.url, name, body);
  }

  /** Injects a fault into `times` calls of an API: into every call, or into every `every`th call. */
  fault(
    api: string,
    fault: string,
    { times = 1, every = 1 }: { times?: number; every?: number } = {},
  ): Promise<unknown> {
    return this.control('faults', [{ when: { api }, fault, times, every }]);
  }

  /** Resolves when the simulator responds to a cheap request. */
  async answers(): Promise<void> {
    await (await fetch(`${this.url}/_control/settings`)).arrayBuffer();
  }

  async callCounts(): Promise<Readonly<Record<string, CallCounts>>> {
    const response = await fetch(`${this.url}/_control/call-counts`);
    return (await response.json()) as Record<string, CallCounts>;
  }

  async *wireLog(): AsyncGenerator<WireDocument> {
    for (let after = 0; ;) {
      const response = await fetch(`${this.url}/_control/wire-log?after=${after}`);
      const page = (await response.json()) as (WireDocument & { sequence: number })[];
      yield* page;
      if (page.length === 0) return;
      after = page[page.length - 1].sequence;
    }
  }

  /** Yields all calls of the authority's API in the order of their responses. */
  async *calls(): AsyncGenerator<AuthorityCall> {
    for (let after = 0; ;) {
      const response = await fetch(`${this.url}/_control/calls?after=${after}`);
      if (!response.ok) throw new Error(`The call log: ${response.status} ${await response.text()}`);
      const page = (await response.json()) as CallEntry[];
      for (const { time, fault, api, clientId, status } of page) {
        yield { api, clientId, status, fault, at: Date.parse(time), retryAfterSeconds: chooseRetryAfterSeconds(fault) };
      }
      if (page.length === 0) return;
      after = page[page.length - 1].sequence;
    }
  }

  kill(): void {
    this.program.kill('SIGKILL');
  }

  stop(): Promise<void> {
    return this.program.stop();
  }
}

export interface CallCounts {
  readonly calls: number;
  /** Highest number of calls within any 60 seconds. */
  readonly busiestMinute: number;
}

interface CallEntry {
  readonly sequence: number;
  readonly time: string;
  readonly api: string;
  readonly clientId: string;
  readonly status: number | null;
  readonly fault: string | null;
}

// Retry-After of the simulator's 429 faults (docs/simulator.md).
const RETRY_AFTER_SECONDS = 3;
const NAMES_A_TIME: ReadonlySet<string> = new Set(['429-seconds', '429-date']);

function chooseRetryAfterSeconds(fault: string | null): number | null {
  return fault !== null && NAMES_A_TIME.has(fault) ? RETRY_AFTER_SECONDS : null;
}
