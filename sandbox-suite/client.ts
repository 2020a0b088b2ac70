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

/** Members of response bodies that the checks read. */
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
  /** Path relative to the base address. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects are serialized as JSON. Strings and bytes are sent unchanged. */
  readonly body?: object | string | Uint8Array<ArrayBuffer>;
  /** `null` sends no key. */
  readonly apiKey?: string | null;
  /** Whether openapi.json describes the request. False for unknown routes and methods. */
  readonly isDescribed?: boolean;
  /** Whether to retry after a rate limit, as clients do. */
  readonly waitsForLimit?: boolean;
}

/** Long enough for a held poll of 20 s and for the upload of a 10 MB body. */
const REQUEST_MS_MAX = 60_000;
const LIMIT_WAITS_MAX = 5;
const SECOND_MS = 1_000;

const DESCRIPTION_FILE = new URL('../openapi.json', import.meta.url);

/** HTTP client of the deployment. Compares each response with the OpenAPI description. */
export class Client {
  /** Charged credits according to the responses, by API key. */
  readonly charged = new Map<string, number>();
  private readonly description = Description.read(DESCRIPTION_FILE);

  constructor(
    readonly baseUrl: string,
    private readonly apiKey: string,
  ) {}

  /** @throws Error if the response does not match the description; RefusedRun if production responds */
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

/** Rejects responses of production, in case a key with the sandbox prefix reaches it. */
export function assertSandbox(headers: Headers): void {
  const environment = headers.get('x-environment');
  if (environment === null || environment === 'sandbox') return;
  throw new RefusedRun(`X-Environment is "${environment}": the suite sends invented documents to the sandbox only`);
}

export function readNumber(headers: Headers, name: string): number {
  return Number(headers.get(name) ?? 0);
}

/** Returns an empty object for malformed JSON. The comparison with the description reports the error. */
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
