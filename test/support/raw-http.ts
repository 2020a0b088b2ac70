import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { type ApiResponse, parsed } from './client.js';
import type { TestService } from './service.js';

/** An API, possibly of another process. */
type Addressed = Pick<TestService, 'url'>;

export interface RawRequest {
  readonly method?: string;
  /** Full path with `/api`, sent without normalisation. */
  readonly path: string;
  /** Headers in order. A name may occur twice. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** A list is sent with `Transfer-Encoding: chunked`. */
  readonly body?: string | Buffer | readonly string[];
}

/** Sends a request that `fetch` would reject or correct, as a careless or hostile client does. */
export function rawRequest(service: Addressed, raw: RawRequest): Promise<ApiResponse> {
  const { hostname, port } = new URL(service.url);
  const headers = [['Host', hostname], ['Connection', 'close'], ...(raw.headers ?? [])].flat();
  if (typeof raw.body === 'string' || Buffer.isBuffer(raw.body)) {
    headers.push('Content-Length', String(Buffer.byteLength(raw.body)));
  } else if (raw.body !== undefined) headers.push('Transfer-Encoding', 'chunked');
  return new Promise((resolve, reject) => {
    const options = { hostname, port, method: raw.method ?? 'POST', path: raw.path, headers, agent: false };
    const call = httpRequest(options, (incoming) => {
      readResponse(incoming).then(resolve, reject);
    });
    // The server may respond and close the connection before it has read the whole request.
    call.on('error', reject);
    const parts = typeof raw.body === 'string' || Buffer.isBuffer(raw.body) ? [raw.body] : (raw.body ?? []);
    for (const part of parts) call.write(part);
    call.end();
  });
}

/** A response whose connection was closed after its head, before its body was complete. */
export class CutOffResponse extends Error {
  constructor(
    readonly status: number,
    cause: unknown,
  ) {
    super(`the response with status ${status} was cut off`, { cause });
  }
}

async function readResponse(incoming: IncomingMessage): Promise<ApiResponse> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch (error) {
    throw new CutOffResponse(incoming.statusCode ?? 0, error);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return { status: incoming.statusCode ?? 0, headers, text, body: parsed(text) };
}

/** Sends bytes and returns the first line of the response, or '' if the server closes the connection. */
export function rawBytes(service: Addressed, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      if (text.includes('\r\n')) socket.destroy();
    });
    socket.on('close', () => resolve(text.split('\r\n', 1)[0]));
    socket.on('error', reject);
  });
}
