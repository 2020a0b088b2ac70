import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TestService, type ServiceOptions } from '../support/service.js';

/** A call as it reached the authority. */
export interface SeenCall {
  readonly api: 'token' | 'submit' | 'getSubmission' | 'details' | 'cancel' | 'search' | 'other';
  readonly status: number;
  /** Of a submit: the numbers in it, and its bytes. */
  readonly referenceIds: readonly string[];
  readonly body: string;
}

interface Refusal {
  readonly referenceId: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Stands before the simulator, counts the calls, and answers for it where a test says so. */
export class AuthorityProxy {
  readonly calls: SeenCall[] = [];
  /** What a test does before a call of an API goes on. */
  readonly before = new Map<SeenCall['api'], () => Promise<void>>();
  /** What a test makes of the authority's answers, from their text. */
  rewrite: ((text: string) => string) | null = null;
  private readonly refusals: Refusal[] = [];
  private target = '';

  private constructor(
    readonly service: TestService,
    private readonly close: () => Promise<void>,
  ) {}

  /** A service whose authority is the simulator behind a front. */
  static async start(options: ServiceOptions = {}): Promise<AuthorityProxy> {
    const server = createServer((request, response) => void proxy.respond(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const environment = { AUTHORITY_SANDBOX_API_URL: `http://127.0.0.1:${port}`, ...options.environment };
    const service = await TestService.start({ ...options, environment });
    const proxy = new AuthorityProxy(service, () => new Promise((resolve) => server.close(() => resolve())));
    proxy.target = service.simulator.url;
    return proxy;
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.close();
  }

  /** From now on every submit that carries this document is answered so, without reaching the authority. */
  refuse(referenceId: string, response: Omit<Refusal, 'referenceId'>): void {
    this.refusals.push({ referenceId, ...response });
  }

  /** The calls of an API, from a place of the list on. */
  listCalls(api: SeenCall['api'], from = 0): SeenCall[] {
    return this.calls.slice(from).filter((call) => call.api === api);
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const api = detectApi(request);
    const referenceIds = api === 'submit' ? numbersIn(body) : [];
    const refusal = this.refusals.find(({ referenceId }) => referenceIds.includes(referenceId));
    const see = (status: number): void => void this.calls.push({ api, status, referenceIds, body: body.toString() });
    if (refusal !== undefined) {
      see(refusal.status);
      response.writeHead(refusal.status, { 'Content-Type': refusal.contentType }).end(refusal.body);
      return;
    }
    try {
      await this.before.get(api)?.();
      const answered = await fetch(this.target + (request.url ?? ''), {
        method: request.method,
        headers: copyHeaders(request),
        body: body.length > 0 ? body : undefined,
      });
      const text = this.rewritten(Buffer.from(await answered.arrayBuffer()));
      see(answered.status);
      const { 'content-length': _, ...headers } = Object.fromEntries(answered.headers);
      response.writeHead(answered.status, { ...headers, 'Content-Length': text.length }).end(text);
    } catch {
      // What the simulator cuts is cut here too.
      see(0);
      request.socket.destroy();
    }
  }

  private rewritten(answer: Buffer): Buffer {
    return this.rewrite === null ? answer : Buffer.from(this.rewrite(answer.toString()));
  }
}

function detectApi({ method, url = '' }: IncomingMessage): SeenCall['api'] {
  if (url.startsWith('/connect/token')) return 'token';
  if (url.includes('/documents/search')) return 'search';
  if (url.includes('/documents/state/')) return 'cancel';
  if (url.endsWith('/details')) return 'details';
  if (url.includes('/documentsubmissions')) return method === 'POST' ? 'submit' : 'getSubmission';
  return 'other';
}

function numbersIn(body: Buffer): string[] {
  // A probe carries none.
  const { documents = [] } = JSON.parse(body.toString()) as { documents?: { codeNumber: string }[] };
  return documents.map(({ codeNumber }) => codeNumber);
}

const NOT_FORWARDED = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'expect']);

function copyHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => {
      const [name, value] = entry;
      return typeof value === 'string' && !NOT_FORWARDED.has(name);
    }),
  );
}
