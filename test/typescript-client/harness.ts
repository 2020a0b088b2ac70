import { afterAll } from 'vitest';
import {
  type ClientOptions,
  type Clock,
  EInvoiceClient,
  type RunStore,
  type SubmitDocument,
} from '../../clients/typescript/src/index.js';
import { invoice } from '../support/documents.js';
import { FaultProxy, type Forward, type ProxiedRequest, type Reply } from '../support/proxy.js';
import type { TestService } from '../support/service.js';
import type { TestTenant } from '../support/tenants.js';

/** Clock whose waits finish immediately and are recorded. */
export class TestClock implements Clock {
  readonly waits: number[] = [];
  private movedMs = 0;

  /** @param onWait called during each wait */
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

/**
 * Outcome of one request. `lost`: the request never arrives. `cut`: the service handles the request, and the connection
 * closes before the response. `torn`: half of the response body arrives. `late`: the client loses its connection, and
 * the request arrives at `deliverLate`. A status: a proxy responds instead of the service.
 */
type Fault = 'none' | 'lost' | 'cut' | 'torn' | 'late' | Reply;

/** Proxy between the clients and the service. */
class ApiProxy {
  readonly requests: ProxiedRequest[] = [];
  url: string;
  private readonly faults: Fault[] = [];
  private readonly late: Forward[] = [];

  /** Sets the outcomes of the next requests, in order. */
  plan(...faults: Fault[]): void {
    this.faults.push(...faults);
  }

  deliverLate(): Promise<Reply[]> {
    return Promise.all(this.late.splice(0).map((forward) => forward()));
  }

  async respond(request: ProxiedRequest, forward: Forward): Promise<Reply | null> {
    this.requests.push(request);
    const fault = this.faults.shift();
    if (typeof fault === 'object') {
      return { ...fault, headers: { 'Content-Type': 'application/json', ...fault.headers } };
    }
    if (fault === 'late') this.late.push(forward);
    if (fault === 'lost' || fault === 'late') return null;
    const reply = await forward();
    return fault === 'cut' ? null : { ...reply, isTorn: fault === 'torn' };
  }
}

/** Opens a proxy for the clients of a test file. */
export async function startFileProxy({ url }: TestService): Promise<ApiProxy> {
  const api = new ApiProxy();
  const { port } = new URL(url);
  const proxy = await FaultProxy.open(
    () => Number(port),
    (request, forward) => api.respond(request, forward),
  );
  afterAll(() => proxy.close());
  return Object.assign(api, { url: `http://127.0.0.1:${proxy.port}/api` });
}

export function connect(
  { url }: { readonly url: string },
  { apiKey }: Pick<TestTenant, 'apiKey'>,
  options: Partial<ClientOptions> = {},
): EInvoiceClient {
  return new EInvoiceClient({ baseUrl: url, apiKey, clock: new TestClock(), ...options });
}

/** Creates invoices with consecutive numbers. */
export function invoices(count: number, overrides: Partial<SubmitDocument> = {}): SubmitDocument[] {
  return Array.from({ length: count }, () => ({ ...invoice(), ...overrides }) as unknown as SubmitDocument);
}

/** Returns the error of a rejected call and asserts its class. */
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

/** In-memory store that survives the simulated crash of a client. */
export class MapStore implements RunStore {
  private readonly texts = new Map<string, string>();

  get(name: string): string | undefined {
    return this.texts.get(name);
  }

  set(name: string, text: string): void {
    this.texts.set(name, text);
  }
}

/** Counts the submissions of each document of a tenant by number. */
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
