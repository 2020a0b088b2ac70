import type { ExampleEntry } from './example-documents.js';

export interface TestResponse {
  status: number;
  headers: Headers;
  text: string;
  /** Parses the body as JSON. The caller asserts its type. */
  json(): unknown;
}

export interface SubmitResponse {
  submissionUid: string | null;
  acceptedDocuments: { uuid: string; invoiceCodeNumber: string }[];
  rejectedDocuments: { invoiceCodeNumber: string; error: { details: RejectionDetail[] } }[];
}

export interface RejectionDetail {
  code: string | null;
  message: string;
  target: string;
  propertyPath: string | null;
}

export interface DocumentRow {
  uuid: string;
  longId: string;
  internalId: string;
  status: string;
  dateTimeValidated: string | null;
  rejectRequestDateTime: string | null;
  documentStatusReason: string | null;
}

interface Details extends DocumentRow {
  validationResults: {
    status: string;
    validationSteps: { name: string; status: string; error?: { innerError: InnerError[] } }[];
  };
}

export interface InnerError {
  propertyName: string | null;
  propertyPath: string;
  errorCode: string;
  error: string;
}

export const supplierTin = 'C1234567890';

export async function send(url: string, init: RequestInit = {}): Promise<TestResponse> {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) as unknown };
}

export function control(url: string, call: string, body: unknown = {}): Promise<TestResponse> {
  return send(`${url}/_control/${call}`, { method: 'POST', body: JSON.stringify(body) });
}

export function requestToken(url: string, onBehalfOf = supplierTin, form: Record<string, string> = {}) {
  const fields = { client_id: 'client', client_secret: 'secret', grant_type: 'client_credentials', ...form };
  return send(`${url}/connect/token`, {
    method: 'POST',
    headers: { onbehalfof: onBehalfOf },
    body: new URLSearchParams(fields),
  });
}

/** A logged-in client of the simulated authority. */
export class TestClient {
  constructor(
    readonly url: string,
    private readonly token: string,
  ) {}

  static async login(url: string, onBehalfOf = supplierTin, clientId = 'client'): Promise<TestClient> {
    const response = await requestToken(url, onBehalfOf, { client_id: clientId });
    return new TestClient(url, (response.json() as { access_token: string }).access_token);
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
  }

  call(path: string, method = 'GET', body?: string, signal?: AbortSignal): Promise<TestResponse> {
    return send(`${this.url}/api/v1.0/${path}`, { method, headers: this.headers, body, signal });
  }

  submit(...documents: ExampleEntry[]): Promise<TestResponse> {
    return this.call('documentsubmissions', 'POST', JSON.stringify({ documents }));
  }

  /** Submits and aborts the request after the deadline. */
  submitWithin(deadlineMs: number, ...documents: ExampleEntry[]): Promise<TestResponse> {
    const body = JSON.stringify({ documents });
    return this.call('documentsubmissions', 'POST', body, AbortSignal.timeout(deadlineMs));
  }

  /** Submits a document that must be accepted and returns its uuid. */
  async accept(document: ExampleEntry): Promise<string> {
    const response = await this.submit(document);
    const uuid = (response.json() as SubmitResponse).acceptedDocuments[0]?.uuid;
    if (!uuid) throw new Error(`not accepted: ${response.text}`);
    return uuid;
  }

  /** Submits a document that must be rejected and returns the details of the rejection. */
  async reject(document: ExampleEntry): Promise<RejectionDetail[]> {
    const response = await this.submit(document);
    const rejected = (response.json() as SubmitResponse).rejectedDocuments[0];
    if (!rejected) throw new Error(`not rejected: ${response.text}`);
    return rejected.error.details;
  }

  async details(uuid: string): Promise<Details> {
    return (await this.call(`documents/${uuid}/details`)).json() as Details;
  }

  async listErrors(uuid: string): Promise<InnerError[]> {
    const { validationResults } = await this.details(uuid);
    return validationResults.validationSteps.flatMap(({ error }) => error?.innerError ?? []);
  }

  async listErrorCodes(uuid: string): Promise<string[]> {
    return (await this.listErrors(uuid)).map(({ errorCode }) => errorCode);
  }

  async readStatus(uuid: string): Promise<string> {
    return (await this.details(uuid)).status;
  }

  changeState(uuid: string, status: string, reason = 'Wrong buyer'): Promise<TestResponse> {
    return this.call(`documents/state/${uuid}/state`, 'PUT', JSON.stringify({ status, reason }));
  }

  search(parameters: Record<string, string>): Promise<TestResponse> {
    return this.call(`documents/search?${new URLSearchParams(parameters).toString()}`);
  }

  /** Searches submissions from one day before to one day after `now`. */
  searchAround(now: number, parameters: Record<string, string> = {}): Promise<TestResponse> {
    const dayMs = 24 * 60 * 60_000;
    return this.search({
      submissionDateFrom: new Date(now - dayMs).toISOString(),
      submissionDateTo: new Date(now + dayMs).toISOString(),
      ...parameters,
    });
  }
}

interface ErrorBody {
  error: { code: string; message: string | null; details: { code: string; message: string }[] | null };
}

export function parseError(response: TestResponse): ErrorBody['error'] {
  return (response.json() as ErrorBody).error;
}
