import type { Role } from '../../src/accounts/roles.js';
import type { SessionDto } from '../../src/dashboard-api/session/dto/session.dto.js';
import type { TestService } from './service.js';

export interface DashboardResponse<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: T;
}

const JSON_BODY = { 'Content-Type': 'application/json' };

interface Options {
  /** Replaces the token of the session. */
  readonly csrfToken?: string | null;
  readonly headers?: Record<string, string>;
}

/** HTTP client that behaves like a browser: it stores cookies and sends the CSRF token of its session. */
export class Browser {
  cookie: string | null = null;
  /** Cookie of a device that has signed in before. */
  deviceCookie: string | null = null;
  session: SessionDto | null = null;

  constructor(private readonly service: Pick<TestService, 'url'>) {}

  get<T>(path: string): Promise<DashboardResponse<T>> {
    return this.call<T>('GET', path);
  }

  post<T>(path: string, body: object, options: Options = {}): Promise<DashboardResponse<T>> {
    return this.call<T>('POST', path, body, options);
  }

  /** Sends a request. `path` is relative to `/api/dashboard`. A string body is sent unchanged. */
  async call<T>(
    method: string,
    path: string,
    body?: object | string,
    options: Options = {},
  ): Promise<DashboardResponse<T>> {
    const response = await fetch(`${this.service.url}/dashboard${path}`, {
      method,
      headers: { ...this.buildHeaders(options), ...(body === undefined ? {} : JSON_BODY), ...options.headers },
      body: typeof body === 'object' ? JSON.stringify(body) : body,
    });
    for (const [pair] of response.headers.getSetCookie().map((cookie) => cookie.split(';'))) {
      if (pair.includes('einvoice_device=')) this.deviceCookie = pair;
      else this.cookie = pair;
    }
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, headers: response.headers, text, body: (isJson ? JSON.parse(text) : null) as T };
  }

  async download(path: string): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
    const response = await fetch(`${this.service.url}/dashboard${path}`, { headers: this.buildHeaders({}) });
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  }

  private buildHeaders({ csrfToken = this.session?.csrfToken ?? null }: Options): Record<string, string> {
    const headers: Record<string, string> = {};
    const cookies = [this.cookie, this.deviceCookie].filter((cookie) => cookie !== null);
    if (cookies.length > 0) headers.Cookie = cookies.join('; ');
    if (csrfToken !== null) headers['X-CSRF-Token'] = csrfToken;
    return headers;
  }

  /** Signs in or signs up, and stores the session. */
  async enter(path: '/sign-in' | '/sign-up', body: object): Promise<DashboardResponse<SessionDto>> {
    const response = await this.post<SessionDto>(path, body);
    if (response.status < 300) this.session = response.body;
    return response;
  }
}

export const PASSWORD = 'correct horse battery staple';

let counter = 0;

/** Signs up a user with a new organisation. */
export async function signUp(
  service: Pick<TestService, 'url'>,
): Promise<{ browser: Browser; tenantId: string; email: string }> {
  counter += 1;
  const email = `user${counter}-${process.pid}@kedai.example`;
  const browser = new Browser(service);
  const organisationName = `Kedai ${counter} Sdn Bhd`;
  const response = await browser.enter('/sign-up', { email, password: PASSWORD, name: 'Aisyah', organisationName });
  if (response.status !== 201) throw new Error(`Sign-up: ${response.status} ${response.text}`);
  return { browser, tenantId: response.body.organisations[0].tenantId, email };
}

/** Signs up a user and adds them to an existing organisation. */
export async function signUpInto(service: TestService, tenantId: string, role: Role): Promise<Browser> {
  const { browser } = await signUp(service);
  await service.owner.query(
    `INSERT INTO membership (tenant_id, user_id, role, created_at) VALUES ($1, $2, $3, service_now())`,
    [tenantId, browser.session?.user.userId, role],
  );
  return browser;
}
