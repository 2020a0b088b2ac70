import { setTimeout as wait } from 'node:timers/promises';

const SENDERS = 6;
const PAUSE_MS = 5;
const TIMEOUT_MS = 10_000;
/** Of no batch: the key is checked and the database asked, and nothing is written. */
const PATH = '/v1/saas/submissions/00000000-0000-4000-8000-000000000000/status';

/** Clients that ask all the time over the connections that they keep, so that every moment of a restart has a request. */
export class SteadyRequests {
  /** What is no response of the service. */
  readonly failed: string[] = [];
  sent = 0;
  private isStopped = false;
  private readonly done: Promise<unknown>;

  constructor(
    private readonly url: string,
    private readonly apiKey: string,
  ) {
    this.done = Promise.all(Array.from({ length: SENDERS }, () => this.repeat()));
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.done;
  }

  private async repeat(): Promise<void> {
    while (!this.isStopped) {
      await this.send();
      await wait(PAUSE_MS);
    }
  }

  private async send(): Promise<void> {
    this.sent += 1;
    try {
      const headers = { 'X-API-Key': this.apiKey };
      const response = await fetch(`${this.url}${PATH}`, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
      const text = await response.text();
      if (response.status !== 404) this.failed.push(`GET ${PATH}: ${response.status} ${text}`);
    } catch (error) {
      const { message, cause } = error as Error;
      this.failed.push(`GET ${PATH}: ${message}: ${String(cause)}`);
    }
  }
}
