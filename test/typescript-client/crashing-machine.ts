import type { RunStore } from '../../clients/typescript/src/index.js';

const IN_FLIGHT_MS_MAX = 12;

/**
 * What a client has of its machine, up to the crash: a store that survives, and a network. After the crash the client
 * never gets anything again; requests that have left it may still arrive.
 */
export class CrashingMachine {
  readonly crashed: Promise<'crashed'>;
  private crash: (end: 'crashed') => void = () => undefined;
  private steps = 0;

  /**
   * @param crashAt the step that is the last one
   * @param late takes requests that arrive only after the client has crashed
   */
  constructor(
    private readonly crashAt: number,
    private readonly random: () => number,
    private readonly late: (() => Promise<unknown>)[],
  ) {
    this.crashed = new Promise((resolve) => (this.crash = resolve));
  }

  readonly fetch: typeof fetch = async (input, init) => {
    await this.step();
    await this.step(() => this.leave(input, init));
    const response = await fetch(input, init);
    const text = await response.text();
    await this.step();
    return new Response(text, response);
  };

  /** A store whose writes are each a step before and after. */
  wrap(store: RunStore): RunStore {
    return {
      get: (name) => store.get(name),
      set: async (name, text) => {
        await this.step();
        await store.set(name, text);
        await this.step();
      },
    };
  }

  /** @param last what still happens if this is the last step */
  private async step(last: () => void = () => undefined): Promise<void> {
    this.steps += 1;
    if (this.steps < this.crashAt) return;
    last();
    this.crash('crashed');
    await new Promise(() => undefined);
  }

  /** The request is under way; how far it comes is decided by what else happens. */
  private leave(...[input, init]: Parameters<typeof fetch>): void {
    const send = (signal?: AbortSignal): Promise<unknown> => fetch(input, { ...init, signal }).catch(() => undefined);
    if (this.random() < 0.5) this.late.push(() => send());
    else void send(AbortSignal.timeout(Math.floor(this.random() * IN_FLIGHT_MS_MAX)));
  }
}
