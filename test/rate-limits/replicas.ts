import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { vi } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.js';
import { createApi } from '../../src/processes/api-application.js';
import { RateLimiter } from '../../src/rate-limits/rate-limiter.js';
import type { TestService } from '../support/service.js';

export interface Replica {
  readonly url: string;
  readonly api: NestFastifyApplication;
}

/** Starts another API on the database of a service. */
export async function startReplica(service: TestService, settings: Record<string, string> = {}): Promise<Replica> {
  const api = await createApi(readConfiguration('api', { ...service.settings, ...settings }));
  await api.listen(0, '127.0.0.1');
  const { port } = api.getHttpServer().address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/api`, api };
}

export interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly code?: string; readonly message?: string };
  readonly endedAt: number;
}

/** Polls an unknown batch, which responds with 404 unless the request is rejected before. */
export async function poll({ url }: { url: string }, headers: Record<string, string>): Promise<Response> {
  const response = await fetch(`${url}/v1/saas/submissions/${randomUUID()}/status`, { headers });
  const body = (await response.json()) as Response['body'];
  return { status: response.status, headers: response.headers, body, endedAt: performance.now() };
}

const CONNECTIONS = 10;

/** Sends polls to the addresses in turn with limited concurrency. */
export async function pollMany(
  servers: readonly { url: string }[],
  count: number,
  buildHeaders: (index: number) => Record<string, string>,
): Promise<Response[]> {
  const responses: Response[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      responses.push(await poll(servers[index % servers.length], buildHeaders(index)));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  return responses;
}

export function countTaken(responses: readonly Response[]): number {
  return responses.filter(({ status }) => status !== 429).length;
}

/** Starts to count the reports of an API. */
export function watchReports({ api }: { api: NestFastifyApplication }): { count(): number; stop(): void } {
  const query = vi.spyOn(api.get(DataSource), 'query');
  return {
    count: () => query.mock.calls.filter(([text]) => text.includes('rate_limit_window')).length,
    stop: () => query.mockRestore(),
  };
}

/** Reports the counts of an API immediately. The first call may join a running report. */
export async function report({ api }: { api: NestFastifyApplication }): Promise<void> {
  const limiter = api.get(RateLimiter, { strict: false });
  await limiter.report();
  await limiter.report();
}

/** Stops the clock at the start of a window and lets each API read it, so that a test never spans two windows. */
export async function stopClockAtWindowStart(service: TestService, ...replicas: readonly Replica[]): Promise<void> {
  await service.stopClock();
  const [{ seconds }] = await service.owner.query<{ seconds: number }[]>(
    'SELECT 60 - extract(second FROM service_now())::float8 AS seconds',
  );
  await service.advance(seconds);
  await Promise.all([service, ...replicas].map(report));
}
