import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { vi } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.js';
import { createApi } from '../../src/processes/api-application.js';
import type { TestService } from '../support/service.js';

/** Of the two settings that all of these tests leave at no limit. */
export interface Replica {
  readonly url: string;
  readonly api: NestFastifyApplication;
}

/** Another API on the database of a service. */
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

/** A poll of a batch that does not exist: 404 unless it is refused before. */
export async function poll({ url }: { url: string }, headers: Record<string, string>): Promise<Response> {
  const response = await fetch(`${url}/v1/saas/submissions/${randomUUID()}/status`, { headers });
  const body = (await response.json()) as Response['body'];
  return { status: response.status, headers: response.headers, body, endedAt: performance.now() };
}

const CONNECTIONS = 10;

/** So many polls, some at the same time, at each of the addresses in turn. */
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

/** Counts the statements of an API that write a count, from now on. */
export function watchLeases({ api }: { api: NestFastifyApplication }): { count(): number; stop(): void } {
  const query = vi.spyOn(api.get(DataSource), 'query');
  return {
    count: () => query.mock.calls.filter(([text]) => text.includes('lease_rate_limits')).length,
    stop: () => query.mockRestore(),
  };
}
