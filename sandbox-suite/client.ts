import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Description } from './description.js';
import { RefusedRun } from './options.js';

export interface Problem {
  readonly pointer: string;
  readonly documentIndex: number | null;
  readonly referenceId: string | null;
  readonly rule: string;
  readonly message: string;
  readonly hint: string;
}

/** What the bodies of the interface have, as far as checks read it member by member. */
export interface Body {
  readonly message: string;
  readonly code: string;
  readonly requestId: string;
  readonly errors: readonly string[];
  readonly details: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly submissionBatchId: string;
  readonly documents: readonly QueuedDocument[];
  readonly documentId: string;
  readonly transactionId: string;
  readonly [member: string]: unknown;
}

export interface QueuedDocument {
  readonly documentId: string;
  readonly documentType: string;
  readonly referenceId: string;
  readonly [member: string]: unknown;
}

export interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

export interface Request {
  readonly method?: string;
  /** After the base address. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects become JSON; a text or bytes are sent as they are. */
  readonly body?: object | string | Uint8Array<ArrayBuffer>;
  /** `null`: none. */
  readonly apiKey?: string | null;
  /** Whether the description has the request; it has no route that does not exist. */
  readonly isDescribed?: boolean;
  /** Whether to wait when the rate limit is reached, as a client does. */
  readonly waitsForLimit?: boolean;
}

/** A held poll takes 20 s, and a body of 10 MB may take longer. */
const REQUEST_MS_MAX = 60_000;
const LIMIT_WAITS_MAX = 5;
const SECOND_MS = 1_000;

const DESCRIPTION_FILE = new URL('../openapi.json', import.meta.url);

/** Calls a deployment over HTTP, as a client does, and compares each response with the description. */
export class Client {
  /** Credits that the responses said were charged, by API key. */
  readonly charged = new Map<string, number>();
  private readonly description = Description.read(DESCRIPTION_FILE);

  constructor(
    readonly baseUrl: string,
    private readonly apiKey: string,
  ) {}

  /** @throws Error when the response is not as the description says; RefusedRun when production responds */
  async call(request: Request): Promise<Response> {
    for (let waits = 0; ; waits += 1) {
      const response = await this.send(request);
      const mustWait = response.status === 429 && (request.waitsForLimit ?? true) && waits < LIMIT_WAITS_MAX;
      if (!mustWait) return response;
      await wait(Number(response.headers.get('retry-after') ?? 1) * SECOND_MS);
    }
  }

  private async send(request: Request): Promise<Response> {
    const { method = 'GET', path, isDescribed = true } = request;
    const key = request.apiKey === undefined ? this.apiKey : request.apiKey;
    const received = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: { ...(key === null ? {} : { 'X-API-Key': key }), ...request.headers },
      body: toBytes(request.body),
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_MS_MAX),
    });
    const response = { status: received.status, headers: received.headers, text: await received.text() };
    assertSandbox(response.headers);
    this.count(key ?? '', readNumber(response.headers, 'x-credits-charged'));
    if (isDescribed) this.assertDescribed(method, path, response);
    return { ...response, body: parseBody(response.text) };
  }

  private count(key: string, credits: number): void {
    this.charged.set(key, (this.charged.get(key) ?? 0) + credits);
  }

  private assertDescribed(method: string, path: string, response: Omit<Response, 'body'>): void {
    const name = `${method} ${path}: ${response.status}`;
    const operation = this.description.find(method, new URL(`${this.baseUrl}${path}`).pathname);
    if (operation === null) throw new Error(`${name}: the description has no such request`);
    const violations = this.description.findViolations(operation, response, { hasBody: method !== 'HEAD' });
    if (violations.length === 0) return;
    throw new Error(`${name} is not as described:\n  ${violations.join('\n  ')}\n${response.text.slice(0, 2_000)}`);
  }
}

function toBytes(body: Request['body']): string | Uint8Array<ArrayBuffer> | undefined {
  return body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
}

/** The last guard: a key that begins as a sandbox key must not reach production either. */
export function assertSandbox(headers: Headers): void {
  const environment = headers.get('x-environment');
  if (environment === null || environment === 'sandbox') return;
  throw new RefusedRun(`X-Environment is "${environment}": the suite sends invented documents to the sandbox only`);
}

export function readNumber(headers: Headers, name: string): number {
  return Number(headers.get(name) ?? 0);
}

/** Of a response whose text is no JSON object, nothing: the description says when that is wrong. */
function parseBody(text: string): Body {
  try {
    return Object(JSON.parse(text)) as Body;
  } catch {
    return {} as Body;
  }
}

export function newKey(run: string): string {
  return `${run}-${randomUUID()}`;
}
