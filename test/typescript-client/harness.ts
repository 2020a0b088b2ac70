import { afterAll } from 'vitest';
import {
  type ClientOptions,
  type Clock,
  EInvoiceClient,
  type RunStore,
  type SubmitDocument,
} from '../../clients/typescript/src/index.js';
import { invoice } from '../support/documents.js';
import type { TestService } from '../support/service.js';
import type { TestTenant } from '../support/tenants.js';
import { ApiProxy } from './api-proxy.js';

/** A client's clock: waits take no time, and are remembered. */
export class TestClock implements Clock {
  readonly waits: number[] = [];
  private movedMs = 0;

  /** @param onWait what happens meanwhile */
  constructor(private readonly onWait: (milliseconds: number) => Promise<unknown> | void = () => undefined) {}

  now(): number {
    return Date.now() + this.movedMs;
  }

  advance(seconds: number): void {
    this.movedMs += seconds * 1_000;
  }

  async wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
    this.waits.push(milliseconds);
    this.movedMs += milliseconds;
    await this.onWait(milliseconds);
    signal?.throwIfAborted();
  }
}

/** Between the clients of a file and its service. */
export async function startFileProxy(service: TestService): Promise<ApiProxy> {
  const proxy = await ApiProxy.start(service.url);
  afterAll(() => proxy.stop());
  return proxy;
}

export function connect(
  { url }: { readonly url: string },
  { apiKey }: Pick<TestTenant, 'apiKey'>,
  options: Partial<ClientOptions> = {},
): EInvoiceClient {
  return new EInvoiceClient({ baseUrl: url, apiKey, clock: new TestClock(), ...options });
}

/** Invoices as a client writes them. */
export function invoices(count: number, overrides: Partial<SubmitDocument> = {}): SubmitDocument[] {
  return Array.from({ length: count }, () => ({ ...invoice(), ...overrides }) as unknown as SubmitDocument);
}

/** What a call throws, which must be this kind of error. */
export async function thrownBy<Thrown>(
  kind: new (...parameters: never[]) => Thrown,
  call: Promise<unknown>,
): Promise<Thrown> {
  const thrown: unknown = await call.then(
    () => new Error('The call has not failed'),
    (error: unknown) => error,
  );
  if (thrown instanceof kind) return thrown;
  throw thrown;
}

/** What survives the crash of a client that is played in this process. */
export class MapStore implements RunStore {
  private readonly texts = new Map<string, string>();

  get(name: string): string | undefined {
    return this.texts.get(name);
  }

  set(name: string, text: string): void {
    this.texts.set(name, text);
  }
}

/** How often each document of a tenant was submitted, by its number. */
export async function countAttempts(
  service: TestService,
  { tenantId }: Pick<TestTenant, 'tenantId'>,
): Promise<Map<string, number>> {
  const rows = await service.owner.query<{ number: string; attempts: number }[]>(
    `SELECT d.reference_id AS number, count(*)::int AS attempts
       FROM document d JOIN document_transaction t ON t.tenant_id = d.tenant_id AND t.document_id = d.id
      WHERE d.tenant_id = $1 GROUP BY d.reference_id`,
    [tenantId],
  );
  return new Map(rows.map(({ number, attempts }) => [number, attempts]));
}
