import http, { type ClientRequest } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { HttpService } from '@nestjs/axios';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { AxiosResponse } from 'axios';
import { isOutOfDescriptors } from '../common/out-of-descriptors.js';
import { parseJsonText } from '../common/parse-json-text.js';
import { withFailpoints } from '../common/failpoints/failpoints.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import type { Environment } from '../config/environment.js';
import { AuthorityClock } from './authority-clock.js';
import type { AuthorityApi } from './call-limits.js';
import type { AuthorityResponse, Ending } from './ending.js';
import { describeConnectionFailure } from './connection-failure.js';
import { getAuthoritySettings } from './settings.js';

export interface TransportRequest {
  readonly environment: Environment;
  readonly api: AuthorityApi;
  readonly host: 'api' | 'identity';
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The caller must encode external values. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** On the `performance.now()` clock. */
  readonly deadlineAt: number;
  readonly signal?: AbortSignal;
}

const RESPONSE_BYTES_MAX = 10 * 1024 * 1024;
// Shorter than the idle timeout of any intermediate server, because a reset leaves the arrival of a request unknown.
const IDLE_CONNECTION_MS = 4_000;
const CONNECTIONS_MAX = 64;
const CORRELATION_ID_SHAPE = /^[\x21-\x7e]{1,200}$/;

@Injectable()
export class AuthorityTransport implements OnApplicationShutdown {
  private readonly httpAgent = new http.Agent(agentOptions());
  private readonly httpsAgent = new https.Agent(agentOptions());

  constructor(
    private readonly service: HttpService,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly clock: AuthorityClock,
  ) {}

  onApplicationShutdown(): void {
    this.httpAgent.destroy();
    this.httpsAgent.destroy();
  }

  async request(request: TransportRequest): Promise<Ending> {
    const sentAtMs = performance.now();
    const ending = await withFailpoints(`call.${request.api}`, () => this.sendUntilDeadline(request));
    // Measures only the API's clock, because that clock dates the documents.
    if (request.host === 'api') await this.clock.measure(request, ending, sentAtMs);
    return ending;
  }

  private async sendUntilDeadline(request: TransportRequest): Promise<Ending> {
    const remainingMs = request.deadlineAt - performance.now();
    if (remainingMs <= 0) return { kind: 'not-sent', reason: 'the deadline passed before the send', isGivenUp: true };
    if (request.signal?.aborted) return { kind: 'not-sent', reason: 'given up before the send', isGivenUp: true };
    const deadline = new AbortController();
    // Timers use the monotonic clock. Unlike the timeouts of axios, one abort covers connecting, headers and body.
    const timer = setTimeout(() => deadline.abort(), remainingMs);
    const abort = (): void => deadline.abort();
    request.signal?.addEventListener('abort', abort, { once: true });
    const watch = new SendWatch(request.deadlineAt);
    try {
      return toAuthorityResponse(await this.send(request, watch, deadline.signal));
    } catch (error) {
      const isGivenUp = request.signal?.aborted ?? false;
      const { mayHaveSent } = watch;
      const failed = { isDeadline: deadline.signal.aborted, isGivenUp, mayHaveSent };
      const reason = describeFailure(error, failed, this.getUrl(request));
      return { kind: mayHaveSent ? 'no-response' : 'not-sent', reason, isGivenUp: isOwnFailure(error, isGivenUp) };
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', abort);
    }
  }

  private send(request: TransportRequest, watch: SendWatch, signal: AbortSignal): Promise<AxiosResponse<Buffer>> {
    return this.service.axiosRef.request<Buffer>({
      method: request.method,
      url: this.getUrl(request),
      headers: { Accept: 'application/json', 'Accept-Language': 'en', 'User-Agent': 'einvoice', ...request.headers },
      data: request.body,
      signal,
      httpAgent: this.httpAgent,
      httpsAgent: this.httpsAgent,
      transport: watch,
      maxRedirects: 0,
      maxContentLength: RESPONSE_BYTES_MAX,
      maxBodyLength: Infinity,
      // Ignores proxies from environment variables, because all hosts must come from the configuration.
      proxy: false,
      responseType: 'arraybuffer',
      validateStatus: () => true,
    });
  }

  private getUrl({ environment, host, path }: TransportRequest): string {
    const { apiUrl, identityUrl } = getAuthoritySettings(this.configuration, environment);
    return (host === 'api' ? apiUrl : identityUrl) + path;
  }
}

function isOwnFailure(error: unknown, isGivenUp: boolean): boolean {
  return isGivenUp || isOutOfDescriptors(error);
}

function agentOptions(): https.AgentOptions {
  return { keepAlive: true, timeout: IDLE_CONNECTION_MS, maxSockets: CONNECTIONS_MAX };
}

/** Tracks whether bytes may have been sent. */
class SendWatch {
  mayHaveSent = false;

  constructor(private readonly deadlineAt: number) {}

  request(options: https.RequestOptions, onResponse: (response: http.IncomingMessage) => void): ClientRequest {
    const isSecure = options.protocol === 'https:';
    const request = (isSecure ? https : http).request(options, onResponse);
    request.once('socket', (socket: Socket) => {
      // Node writes to a new socket after connecting or after the TLS handshake, and to a reused socket immediately. A
      // new socket is already destroyed if connecting failed, for example because of missing file descriptors.
      if (!request.reusedSocket && socket.destroyed) return;
      if (request.reusedSocket || !socket.connecting) this.mayHaveSent = true;
      else socket.prependOnceListener(isSecure ? 'secureConnect' : 'connect', () => this.connected(request));
    });
    return request;
  }

  // A process that was paused while connecting resumes here before its timers fire.
  private connected(request: ClientRequest): void {
    if (performance.now() >= this.deadlineAt) request.destroy(new Error('the deadline passed before the send'));
    else this.mayHaveSent = true;
  }
}

function toAuthorityResponse(response: AxiosResponse<Buffer>): AuthorityResponse {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined && value !== null) headers[name.toLowerCase()] = String(value);
  }
  const text = new TextDecoder('utf-8').decode(response.data);
  const correlationId = headers.correlationid?.trim() ?? '';
  return {
    kind: 'response',
    status: response.status,
    headers,
    body: parseBody(text),
    text,
    correlationId: CORRELATION_ID_SHAPE.test(correlationId) ? correlationId : null,
  };
}

function parseBody(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return null;
  }
}

interface FailedCall {
  readonly isDeadline: boolean;
  readonly isGivenUp: boolean;
  readonly mayHaveSent: boolean;
}

function describeFailure(error: unknown, { isDeadline, isGivenUp, mayHaveSent }: FailedCall, url: string): string {
  if (isGivenUp) return 'given up while in flight';
  if (!isDeadline) return describeConnectionFailure(error, url);
  return mayHaveSent ? 'no complete response before the deadline' : 'no connection before the deadline';
}
