import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type ApiResponse, parsed } from './client.js';
import type { TestService } from './service.js';
import { until } from './until.js';

/** Connection on which a test controls each byte that it sends, and reads the responses one by one. */
export interface RawConnection {
  write(bytes: string | Buffer): void;
  /** Sends the head of a request. */
  begin(method: string, path: string, headers: Readonly<Record<string, string | number>>): void;
  /** Waits until the service has read all sent bytes. */
  arrived(): Promise<void>;
  /** Waits for the next response. `100 Continue` counts as a response without a body. */
  response(): Promise<ApiResponse>;
  /** Returns whether there are unread bytes. */
  hasMore(): boolean;
  /** Waits until the service has closed the connection. */
  closed(): Promise<void>;
  destroy(): void;
}

export function openConnection(service: TestService): RawConnection {
  const { hostname, port } = new URL(service.url);
  // The client keeps its side open after the service has closed the other side.
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const state = { received: Buffer.alloc(0), isClosed: false };
  const peers = getPeers(service.api.getHttpServer());
  const isPeer = (isSo: (peer: Socket) => boolean): boolean => {
    const peer = peers.get(Number(socket.localPort));
    return peer !== undefined && isSo(peer);
  };
  socket.on('data', (chunk) => {
    state.received = Buffer.concat([state.received, chunk]);
  });
  socket.on('end', () => {
    state.isClosed = true;
  });
  socket.on('error', () => {
    state.isClosed = true;
  });
  return {
    write: (bytes) => void socket.write(bytes),
    begin(method, path, headers) {
      const lines = Object.entries({ Host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}`);
      socket.write([`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
    },
    arrived: () =>
      until('the service has read all that was sent', () =>
        isPeer(({ bytesRead }) => bytesRead >= socket.bytesWritten),
      ),
    async response() {
      let length: number | null = null;
      await until('a whole response has come', () => {
        length = readLength(state.received);
        return length !== null || state.isClosed;
      });
      if (length === null) throw new Error('The connection was closed without a response');
      const response = parseResponse(state.received.subarray(0, length));
      state.received = state.received.subarray(length);
      return response;
    },
    hasMore: () => state.received.length > 0,
    closed: () => until('the service has closed the connection', () => isPeer(({ destroyed }) => destroyed)),
    destroy: () => void socket.destroy(),
  };
}

const PEERS = new WeakMap<Server, Map<number, Socket>>();

/** Returns the sockets of connections that the server accepts from now on, by client port. */
function getPeers(server: Server): ReadonlyMap<number, Socket> {
  const known = PEERS.get(server);
  if (known !== undefined) return known;
  const peers = new Map<number, Socket>();
  server.on('connection', (peer: Socket) => peers.set(Number(peer.remotePort), peer));
  PEERS.set(server, peers);
  return peers;
}

const HEAD_END = '\r\n\r\n';

/** Returns the length of the first response in bytes, or null if it is incomplete. */
function readLength(received: Buffer): number | null {
  const headLength = received.indexOf(HEAD_END);
  if (headLength === -1) return null;
  const [, bodyLength = '0'] = /\r\ncontent-length: (\d+)/i.exec(received.toString('latin1', 0, headLength)) ?? [];
  const length = headLength + HEAD_END.length + Number(bodyLength);
  return length <= received.length ? length : null;
}

function parseResponse(response: Buffer): ApiResponse {
  const headLength = response.indexOf(HEAD_END);
  const [statusLine, ...lines] = response.toString('latin1', 0, headLength).split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/: (.*)/, 2) as [string, string]));
  const text = response.toString('utf8', headLength + HEAD_END.length);
  return { status: Number(statusLine.split(' ')[1]), headers, text, body: parsed(text) };
}
