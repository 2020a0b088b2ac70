import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What a link suffers. */
export interface Toxics {
  /** Every chunk, in both directions, arrives this much later. */
  readonly latencyMs: number;
  /** Bytes vanish, connections stay open: what a link has lost once, it never carries a byte again. */
  readonly isBlackHole: boolean;
  /** Nothing is delivered until it is let go; nothing is lost. */
  readonly isHeld: boolean;
  /** The end of one side reaches the other this much later. */
  readonly closeDelayMs: number;
}

// As long as a server keeps a connection whose client has gone silent (its keepalive, shortened as all times here are).
const LOST_UPSTREAM_MS = 15_000;

const NO_TOXICS: Toxics = { latencyMs: 0, isBlackHole: false, isHeld: false, closeDelayMs: 0 };

/** A TCP link between two programs of this machine that can be made to fail. */
export class FaultProxy {
  private readonly links = new Set<Link>();
  private toxics: Toxics = NO_TOXICS;

  private constructor(
    private readonly server: Server,
    /** Programs connect here. */
    readonly port: number,
  ) {}

  /**
   * @param upstream where the other program listens now; asked for every connection, since it may be restarted
   * elsewhere
   */
  static async open(upstream: () => number): Promise<FaultProxy> {
    const server = createServer({ allowHalfOpen: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new FaultProxy(server, (server.address() as AddressInfo).port);
    server.on('connection', (client) => proxy.accept(client, upstream()));
    return proxy;
  }

  /** From now on, and for the connections that are open. */
  applyToxics(toxics: Partial<Toxics>): void {
    this.toxics = { ...NO_TOXICS, ...toxics };
    for (const link of this.links) link.applyToxics(this.toxics);
  }

  /** Whether there are bytes under way. */
  get isHolding(): boolean {
    return [...this.links].some((link) => link.isHolding);
  }

  /** Connections that have lost bytes and are dead without knowing it. */
  get lostLinks(): number {
    return [...this.links].filter((link) => link.isLost).length;
  }

  clearToxics(): void {
    this.applyToxics({});
  }

  /** Every open connection is cut with a reset. */
  reset(): void {
    for (const link of this.links) link.reset();
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.reset();
    await closed;
  }

  private accept(client: Socket, port: number): void {
    const link = new Link(client, connect({ port, host: '127.0.0.1', allowHalfOpen: true }), () =>
      this.links.delete(link),
    );
    link.applyToxics(this.toxics);
    this.links.add(link);
  }
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
      // A program that died closes its socket; what it had written before still arrives.
      if (!this.isLost) flow.end(this.toxics.closeDelayMs);
    });
  }

  /** The server forgets the client after a while; the client has to find out by itself. */
  private lose(): void {
    if (this.isLost) return;
    this.isLost = true;
    setTimeout(() => this.upstream.destroy(), LOST_UPSTREAM_MS).unref();
  }
}

/** One direction of a link: chunks in their order, each at its time. */
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
