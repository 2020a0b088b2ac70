import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { UnavailableError } from '../../errors/api-error.js';

/** Additions after which closed responses and connections are removed. */
export const ADDED_UNTIL_TIDY = 100;

/**
 * Makes a stopping API unready, but keeps serving requests until load balancers have
 * noticed (docs/operations.md#shutdown).
 */
@Injectable()
export class DrainService {
  isRunning = false;
  private readonly logger = new Logger(DrainService.name);
  private readonly seconds: number;
  /** Responses in progress. Fastify does not report the end of a response if the client has closed the connection. */
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

  /** Makes every response close its connection, so that the next request is sent to another process. */
  closeConnections(): void {
    this.closesConnections = true;
    for (const response of this.responses) response.shouldKeepAlive = false;
  }

  beginResponse(response: ServerResponse): void {
    if (this.closesConnections) response.shouldKeepAlive = false;
    this.responses.add(response);
    if (this.responses.size < this.tidyResponsesAt) return;
    // A listener per held poll would require too much memory.
    for (const each of this.responses) if (!isInProgress(each)) this.responses.delete(each);
    this.tidyResponsesAt = this.responses.size + ADDED_UNTIL_TIDY;
  }

  endResponse(response: ServerResponse): void {
    // Closing before the whole request has arrived could destroy the response.
    if (response.req.complete) this.responses.delete(response);
  }

  addConnection(connection: Socket): void {
    this.connections.add(connection);
    if (this.connections.size < this.tidyConnectionsAt) return;
    for (const each of this.connections) if (each.destroyed) this.connections.delete(each);
    this.tidyConnectionsAt = this.connections.size + ADDED_UNTIL_TIDY;
  }

  /** Closes connections without a complete request head, for which Node would wait. */
  closeIdleConnections(): void {
    const busy = new Set([...this.responses].filter(isInProgress).map(({ req }) => req.socket));
    for (const connection of this.connections) if (!busy.has(connection)) connection.destroy();
  }

  /** @throws UnavailableError (503) if the process is stopping */
  assertIsServing(): void {
    if (this.isRunning) throw new UnavailableError('service_unavailable', 'This process is stopping', this.seconds);
  }
}

function isInProgress({ req, writableFinished }: ServerResponse): boolean {
  return !req.socket.destroyed && !(req.complete && writableFinished);
}
