import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What becomes of one request. `lost`: it never arrives. `cut`: it is served, and its connection ends before the
 * response. `torn`: half of the response's body arrives. `late`: its sender loses the connection, and it arrives when
 * the test lets it. Otherwise the proxy responds in the service's place.
 */
export type Fault =
  | 'none'
  | 'lost'
  | 'cut'
  | 'torn'
  | 'late'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The service's address as a client reaches it: passes requests on, unless a test has planned a fault. */
export class ApiProxy {
  readonly requests: SeenRequest[] = [];
  private readonly faults: Fault[] = [];
  private readonly late: (() => Promise<unknown>)[] = [];

  private constructor(
    private readonly server: Server,
    private readonly target: string,
  ) {}

  /** @param target the service's base address */
  static async start(target: string): Promise<ApiProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new ApiProxy(server, new URL(target).origin);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void proxy.respond(request, response));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/api`;
  }

  /** Of the next requests, in their order. */
  plan(...faults: Fault[]): void {
    this.faults.push(...faults);
  }

  /** Lets the requests arrive whose senders have gone. */
  async deliverLate(): Promise<void> {
    await Promise.all(this.late.splice(0).map((deliver) => deliver()));
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const { method = '', url: path = '', headers } = request;
    this.requests.push({ method, path, headers, body });
    const fault = this.faults.shift();
    if (typeof fault === 'object') {
      response.writeHead(fault.status, { 'Content-Type': 'application/json', ...fault.headers }).end(fault.body ?? '');
      return;
    }
    const forward = (): Promise<Response> =>
      fetch(`${this.target}${path}`, {
        method,
        headers: toForward(headers),
        redirect: 'manual',
        ...(body && { body }),
      });
    if (fault === 'late') this.late.push(forward);
    if (fault === 'lost' || fault === 'late') {
      request.socket.destroy();
      return;
    }
    const forwarded = await forward();
    const text = await forwarded.text();
    if (fault === 'cut') request.socket.destroy();
    else send(response, forwarded, text, fault === 'torn');
  }
}

function send(response: ServerResponse, { status, headers }: Response, text: string, isTorn: boolean): void {
  const { 'content-length': _, 'transfer-encoding': __, ...kept } = Object.fromEntries(headers);
  const hasBody = status !== 304;
  response.writeHead(status, { ...kept, ...(hasBody && { 'Content-Length': Buffer.byteLength(text) }) });
  if (isTorn) response.write(text.slice(0, text.length / 2), () => response.destroy());
  else response.end(hasBody ? text : undefined);
}

const NOT_FORWARDED = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

function toForward(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && !NOT_FORWARDED.has(entry[0]),
    ),
  );
}
