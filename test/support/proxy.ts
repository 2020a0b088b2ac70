import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Server as HttpServer, ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Faults that a proxy injects into its connections. */
export interface Toxics {
  /** Delay of each chunk, in both directions. */
  readonly latencyMs: number;
  /** Drops bytes while connections stay open. A connection that has lost bytes never carries data again. */
  readonly isBlackHole: boolean;
  /** Holds all bytes until the toxic is cleared, then delivers them. */
  readonly isHeld: boolean;
  /** Delay before the close of one side is forwarded to the other. */
  readonly closeDelayMs: number;
}

// Idle timeout of a server, shortened like all times of the tests.
const LOST_UPSTREAM_MS = 15_000;

const NO_TOXICS: Toxics = { latencyMs: 0, isBlackHole: false, isHeld: false, closeDelayMs: 0 };

/** TCP proxy between two local programs that can inject faults into connections or HTTP responses. */
export class FaultProxy {
  private readonly links = new Set<Link>();
  private toxics: Toxics = NO_TOXICS;

  private constructor(
    private readonly server: Server,
    readonly port: number,
    private readonly http?: HttpServer,
  ) {}

  /**
   * @param upstream returns the port of the other program, which may change when it restarts
   * @param respond decides the response to each HTTP request; without it, bytes pass unread
   */
  static async open(upstream: () => number, respond?: Respond): Promise<FaultProxy> {
    const http =
      respond && createHttpServer((request, response) => void exchange(request, response, respond, upstream));
    const httpPort = http && (await listen(http));
    const server = createServer({ allowHalfOpen: true });
    const proxy = new FaultProxy(server, await listen(server), http);
    server.on('connection', (client) => proxy.accept(client, httpPort ?? upstream()));
    return proxy;
  }

  /** Applies to the open connections too. */
  applyToxics(toxics: Partial<Toxics>): void {
    this.toxics = { ...NO_TOXICS, ...toxics };
    for (const link of this.links) link.applyToxics(this.toxics);
  }

  get isHolding(): boolean {
    return [...this.links].some((link) => link.isHolding);
  }

  /** Number of connections that have lost bytes and never carry data again. */
  get lostLinks(): number {
    return [...this.links].filter((link) => link.isLost).length;
  }

  clearToxics(): void {
    this.applyToxics({});
  }

  /** Cuts every open connection with a reset. */
  reset(): void {
    for (const link of this.links) link.reset();
  }

  /** Resets the open connections, and refuses new ones until `listen()`. */
  async refuse(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.reset();
    await closed;
  }

  async listen(): Promise<void> {
    if (!this.server.listening) await listen(this.server, this.port);
  }

  async close(): Promise<void> {
    await this.refuse();
    this.http?.close();
    this.http?.closeAllConnections();
  }

  private accept(client: Socket, port: number): void {
    const link = new Link(client, connect({ port, host: '127.0.0.1', allowHalfOpen: true }), () =>
      this.links.delete(link),
    );
    link.applyToxics(this.toxics);
    this.links.add(link);
  }
}

async function listen(server: Server, port = 0): Promise<number> {
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

class Link {
  private readonly flows: readonly Flow[];
  isLost = false;
  private toxics: Toxics = NO_TOXICS;

  constructor(
    private readonly client: Socket,
    private readonly upstream: Socket,
    private readonly onEnd: () => void,
  ) {
    this.flows = [new Flow(client, upstream), new Flow(upstream, client)];
    this.pipe(client, this.flows[0]);
    this.pipe(upstream, this.flows[1]);
  }

  applyToxics(toxics: Toxics): void {
    this.toxics = toxics;
    for (const flow of this.flows) flow.hold(toxics.isHeld);
  }

  get isHolding(): boolean {
    return this.flows.some((flow) => flow.isHolding);
  }

  reset(): void {
    for (const socket of [this.client, this.upstream]) socket.resetAndDestroy();
  }

  private pipe(source: Socket, flow: Flow): void {
    source.setNoDelay(true);
    source.on('data', (chunk) => {
      if (this.toxics.isBlackHole) this.lose();
      if (!this.isLost) flow.deliver(chunk, this.toxics.latencyMs);
    });
    source.on('end', () => {
      if (this.toxics.isBlackHole) this.lose();
      if (this.isLost) source.destroy();
      else flow.end(this.toxics.latencyMs + this.toxics.closeDelayMs);
    });
    source.on('error', () => undefined);
    source.on('close', () => {
      if (this.client.destroyed && this.upstream.destroyed) this.onEnd();
      // Bytes that a program wrote before it died are still delivered.
      if (!this.isLost) flow.end(this.toxics.closeDelayMs);
    });
  }

  /** Marks the link as lost. The server later closes its side, but the client is not notified. */
  private lose(): void {
    if (this.isLost) return;
    this.isLost = true;
    setTimeout(() => this.upstream.destroy(), LOST_UPSTREAM_MS).unref();
  }
}

/** One direction of a link, which delivers each chunk in order and at its time. */
class Flow {
  private readonly waiting: { at: number; chunk: Buffer | null }[] = [];
  private timer: NodeJS.Timeout | null = null;
  private isHeld = false;
  private isEnded = false;

  constructor(
    private readonly source: Socket,
    private readonly target: Socket,
  ) {
    target.on('drain', () => source.resume());
  }

  get isHolding(): boolean {
    return this.waiting.length > 0;
  }

  deliver(chunk: Buffer, latencyMs: number): void {
    this.waiting.push({ at: performance.now() + latencyMs, chunk });
    this.flush();
  }

  end(delayMs: number): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.waiting.push({ at: performance.now() + delayMs, chunk: null });
    this.flush();
  }

  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    this.flush();
  }

  private flush(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    while (!this.isHeld && this.waiting.length > 0) {
      const [{ at, chunk }] = this.waiting;
      const waitMs = at - performance.now();
      if (waitMs > 0) {
        this.timer = setTimeout(() => this.flush(), waitMs);
        return;
      }
      this.waiting.shift();
      this.write(chunk);
    }
  }

  private write(chunk: Buffer | null): void {
    if (chunk === null) {
      if (this.source.destroyed) this.target.destroySoon();
      else this.target.end();
      return;
    }
    if (this.target.destroyed) return;
    if (!this.target.write(chunk)) this.source.pause();
  }
}

export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Closes the connection after half of the body. */
  readonly isTorn?: boolean;
}

/** Forwards a request, once per call, even if the sender has disconnected. */
export type Forward = () => Promise<Reply>;

/** @returns null to close the connection without a response */
export type Respond = (request: ProxiedRequest, forward: Forward) => Promise<Reply | null>;

/** The upstream program closed the connection without a response. */
class UpstreamClosed extends Error {}

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  respond: Respond,
  upstream: () => number,
): Promise<void> {
  const { method = '', url: path = '', headers } = request;
  const body = (await buffer(request)).toString();
  const forward: Forward = async () => {
    try {
      const options = { method, headers: toForwarded(headers), redirect: 'manual', body: body || undefined } as const;
      const forwarded = await fetch(`http://127.0.0.1:${upstream()}${path}`, options);
      const { 'content-length': _, 'transfer-encoding': __, ...kept } = Object.fromEntries(forwarded.headers);
      return { status: forwarded.status, headers: kept, body: await forwarded.text() };
    } catch (error) {
      throw new UpstreamClosed(`${method} ${path}`, { cause: error });
    }
  };
  const reply = await respond({ method, path, headers, body }, forward).catch((error: unknown) => {
    if (error instanceof UpstreamClosed) return null;
    throw error;
  });
  if (reply === null) request.socket.destroy();
  else send(response, reply);
}

function send(response: ServerResponse, { status, headers = {}, body = '', isTorn = false }: Reply): void {
  response.statusCode = status;
  response.setHeaders(new Map(Object.entries(headers)));
  if (!isTorn) {
    response.end(body);
    return;
  }
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.write(body.slice(0, body.length / 2), () => response.destroy());
}

const NOT_FORWARDED = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'expect']);

function toForwarded(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && !NOT_FORWARDED.has(entry[0]),
    ),
  );
}
