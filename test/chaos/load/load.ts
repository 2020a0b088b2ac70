import { setTimeout as wait } from 'node:timers/promises';
import { createRandom } from '../../../bench/content/random.js';
import { Caller, type Send } from './caller.js';
import { ChaosClient, TenantMemory } from './client.js';
import { DocumentBudget } from './document-budget.js';
import type { History } from './history.js';
import { type ChaosTenant, findTwin } from './tenants.js';

export interface LoadOptions {
  readonly urls: readonly string[];
  readonly tenants: readonly ChaosTenant[];
  readonly documents: number;
  readonly spreadMs: number;
  readonly seed: number;
  readonly history: History;
  /** Called after each request. */
  readonly onSend?: (send: Send) => void;
}

const CLIENTS_PER_TENANT = 2;
const IDLE_MS = 50;

export class Load {
  readonly unanswered: string[] = [];
  /** Failed requests except client timeouts. */
  readonly failed: string[] = [];
  readonly budget: DocumentBudget;
  /** Resolves when all clients have finished. */
  readonly done: Promise<void>;
  calls = 0;
  private readonly givingUp = new AbortController();

  constructor(private readonly options: LoadOptions) {
    this.budget = new DocumentBudget(options.documents, options.spreadMs);
    const memories = options.tenants.map((tenant) => new TenantMemory(tenant));
    const clients = memories.flatMap((memory, tenant) =>
      Array.from({ length: CLIENTS_PER_TENANT }, (_, number) => this.client(memory, memories, { tenant, number })),
    );
    this.done = Promise.all(clients.map((client) => this.run(client))).then(() => undefined);
  }

  /** Stops all clients. Calls without a response are added to `unanswered`. */
  giveUp(): void {
    this.givingUp.abort();
  }

  private client(
    memory: TenantMemory,
    others: readonly TenantMemory[],
    { tenant, number }: { tenant: number; number: number },
  ): ChaosClient {
    const { urls, seed, history, onSend } = this.options;
    const random = createRandom(seed * 1_000 + tenant * CLIENTS_PER_TENANT + number);
    return new ChaosClient(`${findTwin(tenant + 1)}${'ab'.charAt(number)}`, {
      memory,
      others,
      random,
      history,
      caller: new Caller(urls, random, this.givingUp.signal, this.failed, onSend),
      budget: this.budget,
      onUnanswered: (what) => this.unanswered.push(what),
    });
  }

  private async run(client: ChaosClient): Promise<void> {
    while (!this.budget.isSpent && !client.hasNoCredits && !this.givingUp.signal.aborted) {
      if (this.budget.isDue) {
        await client.act();
        this.calls += 1;
      } else await wait(IDLE_MS);
    }
  }
}
