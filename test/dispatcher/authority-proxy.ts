import { afterAll, beforeEach } from 'vitest';
import { FaultProxy, type Forward, type ProxiedRequest, type Reply } from '../support/proxy.js';
import { TestService, type ServiceOptions } from '../support/service.js';

type Api = 'token' | 'submit' | 'getSubmission' | 'details' | 'cancel' | 'search' | 'other';

/** A call recorded when it reached the authority's address. */
export interface SeenCall {
  readonly api: Api;
  /** Time on the test's own adjustable clock. */
  readonly atSeconds: number;
  readonly url: URL;
  /** Status of the response, or 0 if there is no response. */
  status: number;
  /** Document numbers and body of a submit. A probe has no numbers. */
  readonly referenceIds: readonly string[];
  readonly body: string;
}

interface Refusal {
  readonly referenceId: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** How the proxy treats all calls. With `lost`, the authority processes the call but its response is dropped. */
export type ProxyMode = 'open' | 'lost' | 'failing' | 'silent' | 'refused';

type Hook = () => Promise<unknown>;

/** Forwards calls to the simulator and records them, unless a test makes them fail. */
export class AuthorityProxy {
  readonly calls: SeenCall[] = [];
  /** Run before a call is forwarded and before its response is returned, even if the caller has disconnected. */
  readonly before = new Map<Api, Hook>();
  readonly after = new Map<Api, Hook>();
  /** Rewrites the response body of the authority. */
  rewrite: ((text: string) => string) | null = null;
  /** Replacement headers for the authority's responses, by status. */
  readonly headers = new Map<number, Readonly<Record<string, string>>>();
  /** Calls of these APIs are delivered to the authority twice. The proxy returns the second response. */
  readonly deliveredTwice = new Set<Api>();
  /** The test's clock in seconds. */
  now: () => number = () => Date.now() / 1_000;
  service: TestService;
  private mode: ProxyMode = 'open';
  private readonly refusals: Refusal[] = [];

  private constructor(private readonly proxy: FaultProxy) {}

  /** Also starts a service that uses the simulator behind this proxy as its authority. */
  static async start(options: ServiceOptions = {}): Promise<AuthorityProxy> {
    const proxy: AuthorityProxy = new AuthorityProxy(
      await FaultProxy.open(
        () => Number(new URL(proxy.service.simulator.url).port),
        (request, forward) => proxy.respond(request, forward),
      ),
    );
    const environment = { AUTHORITY_SANDBOX_API_URL: proxy.url, ...options.environment };
    proxy.service = await TestService.start({ ...options, environment });
    return proxy;
  }

  /** Restores forwarding, clears the recorded calls and resets the service. */
  async reset(): Promise<void> {
    await this.become('open');
    for (const each of [this.before, this.after, this.headers, this.deliveredTwice]) each.clear();
    this.rewrite = null;
    this.refusals.length = 0;
    await this.service.reset();
    this.calls.length = 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.proxy.port}`;
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.proxy.close();
  }

  async become(mode: ProxyMode): Promise<void> {
    this.mode = mode;
    this.proxy.reset();
    await (mode === 'refused' ? this.proxy.refuse() : this.proxy.listen());
  }

  /** Answers every later submit of this document with the given response instead of forwarding it. */
  refuse(referenceId: string, response: Omit<Refusal, 'referenceId'>): void {
    this.refusals.push({ referenceId, ...response });
  }

  /**
   * Holds requests to an API, or their responses, until the returned function is called. New calls pass after
   * `hooks.delete(api)`. A held request is forwarded even if its sender has disconnected.
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

  /** Lists the calls of an API from the given index. */
  listCalls(api: Api, from = 0): SeenCall[] {
    return this.calls.slice(from).filter((call) => call.api === api);
  }

  private async respond({ method, path, body }: ProxiedRequest, forward: Forward): Promise<Reply | null> {
    const url = new URL(path, this.url);
    const api = detectApi(method, path);
    const referenceIds = api === 'submit' ? numbersIn(body) : [];
    const call: SeenCall = { api, url, atSeconds: this.now(), status: 0, referenceIds, body };
    this.calls.push(call);
    if (this.mode === 'silent') return new Promise(() => undefined);
    const refusal =
      this.mode === 'failing' ? FAILING : this.refusals.find((each) => referenceIds.includes(each.referenceId));
    if (refusal === undefined) return this.pass(call, forward);
    call.status = refusal.status;
    return { ...refusal, headers: { 'Content-Type': refusal.contentType } };
  }

  private async pass(call: SeenCall, forward: Forward): Promise<Reply | null> {
    const isLost = this.mode === 'lost';
    const after = this.after.get(call.api);
    await this.before.get(call.api)?.();
    if (this.deliveredTwice.has(call.api)) await forward();
    const { status, headers, body = '' } = await forward();
    if (isLost) return null;
    call.status = status;
    await after?.();
    return { status, headers: { ...headers, ...this.headers.get(status) }, body: this.rewrite?.(body) ?? body };
  }
}

/** Starts a proxy and a service shared by all tests of a file. Both are reset before each test. */
export async function startFileProxy(options: ServiceOptions = {}): Promise<AuthorityProxy> {
  const proxy = await AuthorityProxy.start(options);
  beforeEach(() => proxy.reset());
  afterAll(() => proxy.stop());
  return proxy;
}

const FAILING = { status: 503, contentType: 'application/json', body: '{}' };

function detectApi(method: string, url: string): Api {
  if (url.startsWith('/connect/token')) return 'token';
  if (url.includes('/documents/search')) return 'search';
  if (url.includes('/documents/state/')) return 'cancel';
  if (url.endsWith('/details')) return 'details';
  if (url.includes('/documentsubmissions')) return method === 'POST' ? 'submit' : 'getSubmission';
  return 'other';
}

function numbersIn(body: string): string[] {
  // A probe contains no documents.
  const { documents = [] } = JSON.parse(body) as { documents?: { codeNumber: string }[] };
  return documents.map(({ codeNumber }) => codeNumber);
}
