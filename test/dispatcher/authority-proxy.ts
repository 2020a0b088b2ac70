import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TestService, type ServiceOptions } from '../support/service.js';

type Api = 'token' | 'submit' | 'getSubmission' | 'details' | 'cancel' | 'search' | 'other';

/** A call, from the moment on when it reached the authority's address. */
export interface SeenCall {
  readonly api: Api;
  /** On the test's own clock, which it may move. */
  readonly atSeconds: number;
  readonly url: URL;
  /** Of the response; 0 until there is one, and where the connection was cut. */
  status: number;
  /** Of a submit: the numbers in it, none of which a probe has, and its bytes. */
  readonly referenceIds: readonly string[];
  readonly body: string;
}

interface Refusal {
  readonly referenceId: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** What becomes of all calls. `lost`: the authority works, and its response never arrives. */
export type ProxyMode = 'open' | 'lost' | 'failing' | 'silent' | 'refused';

type Hook = () => Promise<unknown>;

/** The authority's address: passes calls on to the simulator, remembers them, and does to them what a test says. */
export class AuthorityProxy {
  readonly calls: SeenCall[] = [];
  /** Awaited before a call of an API goes on, and before its response does; also when its sender has gone away. */
  readonly before = new Map<Api, Hook>();
  readonly after = new Map<Api, Hook>();
  /** What a test makes of the authority's answers, from their text. */
  rewrite: ((text: string) => string) | null = null;
  /** By status: headers that replace those of the authority's responses. */
  readonly headers = new Map<number, Readonly<Record<string, string>>>();
  /** Calls of these APIs reach the authority twice; the response to the second one is passed on. */
  readonly deliveredTwice = new Set<Api>();
  /** The test's clock, seconds. */
  now: () => number = () => Date.now() / 1_000;
  private mode: ProxyMode = 'open';
  private readonly refusals: Refusal[] = [];

  private constructor(
    readonly service: TestService,
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** A service whose authority is the simulator behind a proxy. */
  static async start(options: ServiceOptions = {}): Promise<AuthorityProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const environment = { AUTHORITY_SANDBOX_API_URL: url, ...options.environment };
    const proxy = new AuthorityProxy(await TestService.start({ ...options, environment }), server, url);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void proxy.respond(request, response));
    return proxy;
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.close();
  }

  async become(mode: ProxyMode): Promise<void> {
    this.mode = mode;
    this.server.closeAllConnections();
    if (mode === 'refused') await this.close();
    else if (!this.server.listening) {
      this.server.listen(Number(new URL(this.url).port), '127.0.0.1');
      await once(this.server, 'listening');
    }
  }

  /** From now on every submit that carries this document is answered so, without reaching the authority. */
  refuse(referenceId: string, response: Omit<Refusal, 'referenceId'>): void {
    this.refusals.push({ referenceId, ...response });
  }

  /**
   * Holds the calls of an API, on their way to the authority or back, until the returned function is called. New calls
   * pass after `hooks.delete(api)`. A held request arrives even when its sender has gone away.
   */
  hold(api: Api, hooks: Map<Api, Hook>): () => void {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    hooks.set(api, () => released);
    return () => {
      hooks.delete(api);
      release();
    };
  }

  /** The calls of an API, from a place of the list on. */
  listCalls(api: Api, from = 0): SeenCall[] {
    return this.calls.slice(from).filter((call) => call.api === api);
  }

  private async close(): Promise<void> {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const api = detectApi(request);
    const referenceIds = api === 'submit' ? numbersIn(body) : [];
    const url = new URL(request.url ?? '', this.url);
    const call: SeenCall = { api, url, atSeconds: this.now(), status: 0, referenceIds, body: body.toString() };
    this.calls.push(call);
    if (this.mode === 'silent') return;
    const refusal =
      this.mode === 'failing' ? FAILING : this.refusals.find((each) => referenceIds.includes(each.referenceId));
    if (refusal !== undefined) {
      call.status = refusal.status;
      response.writeHead(refusal.status, { 'Content-Type': refusal.contentType }).end(refusal.body);
      return;
    }
    await this.forward(request, response, { call, body }).catch(() => {
      // What the simulator cuts is cut here too.
      request.socket.destroy();
    });
  }

  private async forward(
    request: IncomingMessage,
    response: ServerResponse,
    { call, body }: { call: SeenCall; body: Buffer },
  ): Promise<void> {
    const isLost = this.mode === 'lost';
    const after = this.after.get(call.api);
    await this.before.get(call.api)?.();
    const deliver = (): Promise<Response> =>
      fetch(this.service.simulator.url + (request.url ?? ''), {
        method: request.method,
        headers: copyHeaders(request),
        body: body.length > 0 ? body : undefined,
      });
    if (this.deliveredTwice.has(call.api)) await (await deliver()).arrayBuffer();
    const answered = await deliver();
    const text = Buffer.from(await answered.arrayBuffer());
    if (isLost) throw new Error('Its answer is lost');
    call.status = answered.status;
    await after?.();
    const sent = this.rewrite === null ? text : Buffer.from(this.rewrite(text.toString()));
    const { 'content-length': _, ...headers } = Object.fromEntries(answered.headers);
    const replaced = this.headers.get(answered.status);
    response.writeHead(answered.status, { ...headers, ...replaced, 'Content-Length': sent.length }).end(sent);
  }
}

const FAILING = { status: 503, contentType: 'application/json', body: '{}' };

function detectApi({ method, url = '' }: IncomingMessage): Api {
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
