import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import { UnavailableError } from '../errors/api-error.js';

/** Responses that are added between two searches for those whose connection is closed. */
export const RESPONSES_TIDY = 100;

/**
 * An API that is told to stop is not ready from then on, and serves all requests until load balancers have noticed:
 * none of them sends it a request that it would refuse (docs/operations.md#shutdown).
 */
@Injectable()
export class DrainService {
  isRunning = false;
  private readonly logger = new Logger(DrainService.name);
  private readonly seconds: number;
  /** Responses in progress. Fastify reports no end of a response whose client has closed the connection. */
  private readonly responses = new Set<ServerResponse>();
  private tidyAt = RESPONSES_TIDY;
  private closesConnections = false;

  constructor(@Inject(CONFIGURATION) { drainSeconds }: Configuration) {
    this.seconds = drainSeconds;
  }

  /** Resolves after `DRAIN_SECONDS`. */
  async run(): Promise<void> {
    this.isRunning = true;
    this.closeConnections();
    this.logger.log(`Not ready any more; requests are served for ${this.seconds} s`);
    await wait(this.seconds * 1_000);
  }

  /** Makes every response close its connection, those in progress too: the next request goes to another process. */
  closeConnections(): void {
    this.closesConnections = true;
    for (const response of this.responses) response.shouldKeepAlive = false;
  }

  beginResponse(response: ServerResponse): void {
    if (this.closesConnections) response.shouldKeepAlive = false;
    this.responses.add(response);
    if (this.responses.size >= this.tidyAt) this.forgetClosed();
  }

  /** Removes closed responses from time to time. Listeners would cost memory for each of thousands of held polls. */
  private forgetClosed(): void {
    for (const response of this.responses) if (response.req.socket.destroyed) this.responses.delete(response);
    this.tidyAt = this.responses.size + RESPONSES_TIDY;
  }

  endResponse(response: ServerResponse): void {
    this.responses.delete(response);
  }

  /** @throws UnavailableError (503) as soon as the process is told to stop */
  assertIsServing(): void {
    if (this.isRunning) throw new UnavailableError('service_unavailable', 'This process is stopping', this.seconds);
  }
}
