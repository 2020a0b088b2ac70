import type { RunStore } from '../../clients/typescript/src/index.js';

const IN_FLIGHT_MS_MAX = 12;

/**
 * Store and network of a client that crashes. The store survives the crash. The client receives no more responses, but
 * its requests may still arrive.
 */
export class CrashingMachine {
  readonly crashed: Promise<'crashed'>;
  private crash: (end: 'crashed') => void = () => undefined;
  private steps = 0;

  /**
   * @param crashAt number of the last step
   * @param late collects requests that arrive only after the crash
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

  /** Wraps a store so that each write has a step before and after it. */
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

  /** @param last action if this is the last step */
  private async step(last: () => void = () => undefined): Promise<void> {
    this.steps += 1;
    if (this.steps < this.crashAt) return;
    last();
    this.crash('crashed');
    await new Promise(() => undefined);
  }

  /** Sends a request that may still arrive after a crash. */
  private leave(...[input, init]: Parameters<typeof fetch>): void {
    const send = (signal?: AbortSignal): Promise<unknown> => fetch(input, { ...init, signal }).catch(() => undefined);
    if (this.random() < 0.5) this.late.push(() => send());
    else void send(AbortSignal.timeout(Math.floor(this.random() * IN_FLIGHT_MS_MAX)));
  }
}
