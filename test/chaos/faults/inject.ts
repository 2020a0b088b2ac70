import { setTimeout as wait } from 'node:timers/promises';
import type { Toxics } from '../../support/proxy.js';
import type { Cluster, Node } from '../cluster/cluster.js';
import { isPromptFor, PROMPT_EVERY_MS } from './prompt.js';
import { type Fault, type FaultPlan, LATENCY_MS, type LinkFault, THROTTLE_MS } from './plan.js';

/** Interval of Unix timestamps in milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const CLOSE_DELAY_MS = 2_000;

/** Injects the faults of a plan into a cluster and clears them at the end. */
export class Injector {
  readonly done = new Map<string, number>();
  /** Intervals with a 429 as the only fault and a responsive simulator. */
  readonly throttled: Span[] = [];
  private readonly pending = new Set<Promise<void>>();
  /** Chain of PostgreSQL crashes, which must not overlap. */
  private postgres: Promise<void> = Promise.resolve();

  constructor(private readonly cluster: Cluster) {}

  async run(plan: FaultPlan, signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    for (const { atMs, fault } of plan.faults) {
      await wait(Math.max(0, startedAt + atMs - performance.now()), undefined, { signal });
      this.start(fault);
    }
    await wait(Math.max(0, startedAt + plan.endMs - performance.now()), undefined, { signal });
    await Promise.all(this.pending);
    for (const node of this.cluster.nodes) restoreNode(node);
  }

  private start(fault: Fault): void {
    const name = 'toxic' in fault ? `${fault.kind} ${fault.toxic}` : fault.kind;
    this.count(name);
    const work = this.inject(fault).finally(() => this.pending.delete(work));
    this.pending.add(work);
  }

  private async inject(fault: Fault): Promise<void> {
    const { simulator, postgres } = this.cluster;
    switch (fault.kind) {
      case 'kill':
        return this.node(fault.target).program.kill();
      case 'kill-postgres':
        this.postgres = this.postgres.then(async () => {
          await postgres.crash();
          await wait(fault.downMs);
          await postgres.start();
        });
        return this.postgres;
      case 'terminate-connections':
        // Fails while PostgreSQL is down.
        await this.cluster.query(TERMINATE).catch(() => undefined);
        return;
      case 'freeze':
        return this.freeze(this.node(fault.target), fault.ms);
      case 'restart':
        return this.node(fault.target).program.restart();
      case 'link':
        return this.injectLinkFault(fault);
      case 'authority':
        await simulator.fault(fault.api, fault.fault, fault);
        return;
      case 'throttle':
        await simulator.fault(fault.api, fault.fault);
        return this.watchThrottle();
    }
  }

  /**
   * Records the interval only if the simulator stays responsive. Otherwise calls are late without a fault of
   * the service.
   */
  private async watchThrottle(): Promise<void> {
    const span = { from: Date.now(), to: Date.now() + THROTTLE_MS };
    const isPrompt = await isPromptFor(THROTTLE_MS, {
      ask: () => this.cluster.simulator.answers(),
      now: () => performance.now(),
      pause: () => wait(PROMPT_EVERY_MS),
    });
    if (isPrompt) this.throttled.push(span);
    else this.count('throttle unjudged');
  }

  private count(name: string): void {
    this.done.set(name, (this.done.get(name) ?? 0) + 1);
  }

  private async freeze({ program }: Node, ms: number): Promise<void> {
    program.freeze();
    await wait(ms);
    program.thaw();
  }

  private async injectLinkFault({ target, link, toxic, ms }: LinkFault): Promise<void> {
    const proxy = this.node(target)[link];
    if (toxic === 'reset') return proxy.reset();
    proxy.applyToxics(TOXICS[toxic]);
    await wait(ms);
    proxy.clearToxics();
  }

  private node(name: string): Node {
    const found = this.cluster.nodes.find(({ program }) => program.name === name);
    if (found === undefined) throw new Error(`There is no process ${name}`);
    return found;
  }
}

const TOXICS: Readonly<Record<Exclude<LinkFault['toxic'], 'reset'>, Partial<Toxics>>> = {
  latency: { latencyMs: LATENCY_MS },
  'black-hole': { isBlackHole: true },
  hold: { isHeld: true },
  'slow-close': { closeDelayMs: CLOSE_DELAY_MS },
};

const TERMINATE = /* sql */ `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename IN ('einvoice_app', 'einvoice_dispatcher')`;

function restoreNode({ program, database, authority }: Node): void {
  program.thaw();
  database.clearToxics();
  authority.clearToxics();
}
