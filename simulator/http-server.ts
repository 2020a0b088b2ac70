import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { setTimeout as startTimer } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import type { SimulatorResponse } from './responses.js';
import { bodyBytesMax } from './checks/envelope.js';
import { apiError } from './errors.js';
import { newCorrelationId } from './ids.js';
import type { HttpRequest } from './requests.js';

// Longer than the idle timeout of common clients, so that a client does not reuse a connection that is being closed.
const keepAliveMs = 65_000;
const slicesMax = 100;

interface Application {
  respond(request: HttpRequest): SimulatorResponse | Promise<SimulatorResponse>;
  lateAnswerMs(): number;
  /** Returns the artificial delay of the response. */
  latencyMs(request: HttpRequest): number;
  /** Returns the simulator's time for the Date header. */
  now(): number;
}

export function createHttpServer(application: Application): Server {
  const server = createServer((incoming, response) => {
    serve(application, incoming, response).catch((error: unknown) => {
      // The caller disconnected before the request was complete.
      if (incoming.destroyed && !incoming.complete) return;
      console.error(error);
      incoming.socket.destroy();
    });
  });
  server.keepAliveTimeout = keepAliveMs;
  return server;
}

async function serve(application: Application, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const request = await readRequest(incoming);
  response.setHeader('correlationId', request.correlationId);
  response.setHeader('Date', new Date(application.now()).toUTCString());
  const answer = await respondOrFail(application, request);
  const latencyMs = application.latencyMs(request);
  if (latencyMs > 0) await setTimeout(latencyMs);
  send(response, answer, application.lateAnswerMs());
}

async function respondOrFail(application: Application, request: HttpRequest): Promise<SimulatorResponse> {
  try {
    return await application.respond(request);
  } catch (error) {
    console.error(error);
    return apiError(500, { code: 'InternalServerError', message: 'The simulator failed; its log says why' });
  }
}

async function readRequest(incoming: IncomingMessage): Promise<HttpRequest> {
  const [path = '/', query = ''] = splitOnce(incoming.url ?? '/', '?');
  const { body, isTooLarge } = await readBody(incoming);
  return {
    method: incoming.method ?? 'GET',
    path,
    query: new URLSearchParams(query),
    headers: incoming.headers,
    body,
    isTooLarge,
    correlationId: newCorrelationId(),
  };
}

/** Reads an oversized body to its end, because a client that is cut off while writing never reads the response. */
async function readBody(incoming: IncomingMessage): Promise<{ body: Buffer; isTooLarge: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= bodyBytesMax) chunks.push(chunk);
  }
  const isTooLarge = length > bodyBytesMax;
  return { body: isTooLarge ? Buffer.alloc(0) : Buffer.concat(chunks), isTooLarge };
}

function send(response: ServerResponse, answer: SimulatorResponse, lateAnswerMs: number): void {
  if (answer.delivery === 'cut') {
    response.socket?.destroy();
    return;
  }
  if (answer.delivery === 'late') {
    const timer = startTimer(() => write(response, answer, answer.body), lateAnswerMs);
    response.on('close', () => clearTimeout(timer));
    return;
  }
  if (answer.delivery === 'slow') {
    writeSlowly(response, answer, lateAnswerMs);
    return;
  }
  const isTruncated = answer.delivery === 'truncated';
  write(response, answer, isTruncated ? answer.body.slice(0, answer.body.length / 2) : answer.body);
}

/** Sends headers and one byte immediately, then slices. Only a timeout that covers the body detects the delay. */
function writeSlowly(response: ServerResponse, { status, headers, body }: SimulatorResponse, durationMs: number): void {
  const bytes = Buffer.from(body);
  const sliceBytes = Math.max(1, Math.ceil(bytes.length / slicesMax));
  response.writeHead(status, { ...headers, 'Content-Length': bytes.length });
  response.write(bytes.subarray(0, 1));
  let sent = 1;
  const timer = setInterval(
    () => {
      const from = sent;
      sent += sliceBytes;
      if (sent < bytes.length) response.write(bytes.subarray(from, sent));
      else response.end(bytes.subarray(from));
    },
    durationMs / Math.ceil(bytes.length / sliceBytes),
  );
  response.on('close', () => clearInterval(timer));
}

function write(response: ServerResponse, { status, headers }: SimulatorResponse, body: string): void {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
