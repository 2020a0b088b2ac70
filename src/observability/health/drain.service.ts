import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { UnavailableError } from '../../errors/api-error.js';

/** Responses or connections that are added between two searches for closed ones. */
export const ADDED_UNTIL_TIDY = 100;

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
  private tidyResponsesAt = ADDED_UNTIL_TIDY;
  private readonly connections = new Set<Socket>();
  private tidyConnectionsAt = ADDED_UNTIL_TIDY;
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
    if (this.responses.size < this.tidyResponsesAt) return;
    // Listeners would cost memory for each of thousands of held polls.
    for (const each of this.responses) if (!isInProgress(each)) this.responses.delete(each);
    this.tidyResponsesAt = this.responses.size + ADDED_UNTIL_TIDY;
  }

  endResponse(response: ServerResponse): void {
    // The rest of its request may still arrive: closing the connection now could destroy the response on its way.
    if (response.req.complete) this.responses.delete(response);
  }

  addConnection(connection: Socket): void {
    this.connections.add(connection);
    if (this.connections.size < this.tidyConnectionsAt) return;
    for (const each of this.connections) if (each.destroyed) this.connections.delete(each);
    this.tidyConnectionsAt = this.connections.size + ADDED_UNTIL_TIDY;
  }

  /**
   * Closes the connections without a request. Node counts a connection as busy that has sent nothing or half of a
   * request head, and would wait for the rest.
   */
  closeIdleConnections(): void {
    const busy = new Set([...this.responses].filter(isInProgress).map(({ req }) => req.socket));
    for (const connection of this.connections) if (!busy.has(connection)) connection.destroy();
  }

  /** @throws UnavailableError (503) as soon as the process is told to stop */
  assertIsServing(): void {
    if (this.isRunning) throw new UnavailableError('service_unavailable', 'This process is stopping', this.seconds);
  }
}

function isInProgress({ req, writableFinished }: ServerResponse): boolean {
  return !req.socket.destroyed && !(req.complete && writableFinished);
}
