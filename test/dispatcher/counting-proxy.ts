import { once } from 'node:events';
import { createServer, type IncomingMessage, request as forward, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** What becomes of calls on their way to the authority. `lost`: the authority works, and its answer never arrives. */
export type ProxyMode = 'open' | 'lost' | 'failing' | 'silent' | 'refused';

export interface ArrivedCall {
  readonly api: 'login' | 'submit' | 'getSubmission' | 'search' | 'other';
  /** On the test's own clock, which it moves. */
  readonly atSeconds: number;
  /** Whether documents came with it. */
  readonly isEmpty: boolean;
}

/** The authority's address: passes calls on to the simulator as long as it is open, and remembers all that came. */
export class CountingProxy {
  readonly calls: ArrivedCall[] = [];
  target = '';
  /** The test's clock, seconds. */
  now: () => number = () => Date.now() / 1_000;
  /** Submits take this long; milliseconds. */
  delayMs = 0;
  /** Requests that were held and have been answered by the authority since. */
  arrivedLate = 0;
  private mode: ProxyMode = 'open';
  private hold: { readonly part: 'request' | 'answer'; readonly released: Promise<void> } | null = null;

  private constructor(
    private readonly server: Server,
    private readonly port: number,
  ) {
    server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => void this.serve(incoming, outgoing));
  }

  static async start(): Promise<CountingProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new CountingProxy(server, (server.address() as AddressInfo).port);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async become(mode: ProxyMode): Promise<void> {
    const wasRefusing = this.mode === 'refused';
    this.mode = mode;
    this.server.closeAllConnections();
    if (mode === 'refused' && !wasRefusing) await this.close();
    if (mode !== 'refused' && wasRefusing) {
      this.server.listen(this.port, '127.0.0.1');
      await once(this.server, 'listening');
    }
  }

  /**
   * Submits stop here, on their way to the authority or on their way back, until the function that this gives is
   * called. A request that was held arrives even when its sender has gone away.
   */
  holdSubmits(part: 'request' | 'answer'): () => void {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    this.hold = { part, released };
    return () => {
      this.hold = null;
      release();
    };
  }

  /** What comes from now on is not held; what is held stays so. */
  letPass(): void {
    this.hold = null;
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  listCalls(api: ArrivedCall['api'], since = -Infinity): ArrivedCall[] {
    return this.calls.filter((call) => call.api === api && call.atSeconds >= since);
  }

  private async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    this.calls.push({ api: detectApi(incoming), atSeconds: this.now(), isEmpty: body.length < 3 });
    if (this.mode === 'silent') return;
    if (this.mode === 'failing') {
      outgoing.writeHead(503, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const hold = detectApi(incoming) === 'submit' ? this.hold : null;
    if (detectApi(incoming) === 'submit') await wait(this.delayMs);
    if (hold?.part === 'request') await hold.released;
    const isLost = this.mode === 'lost';
    const { method, url, headers } = incoming;
    const passed = forward(this.target + (url ?? '/'), { method, headers, agent: false }, (response) => {
      if (hold?.part === 'request') this.arrivedLate += 1;
      if (isLost) {
        response.resume().on('end', () => outgoing.destroy());
        return;
      }
      void (hold?.part === 'answer' ? hold.released : Promise.resolve()).then(() => {
        outgoing.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(outgoing);
      });
    });
    passed.on('error', () => outgoing.destroy());
    passed.end(body);
  }
}

function detectApi({ method, url = '' }: IncomingMessage): ArrivedCall['api'] {
  if (url.includes('/connect/token')) return 'login';
  if (url.includes('/documents/search')) return 'search';
  if (!url.includes('/documentsubmissions')) return 'other';
  return method === 'POST' ? 'submit' : 'getSubmission';
}
