import { setTimeout as wait } from 'node:timers/promises';
import { expect, inject } from 'vitest';
import { type Body, Client, newKey, readNumber, type Request, type Response } from './client.js';
import { asEnvelope, consolidatedInvoice, type JsonDocument } from './documents.js';

// Shared helpers of the checks, which run sequentially in one process.

export const settings = inject('settings');
export const client = new Client(settings.baseUrl, settings.apiKey);

/** Conditions for skipping checks that need reserved numbers or a second organisation. */
export const hasNoSimulator = settings.authority === 'real';
export const hasNoSecondKey = settings.secondKey === null;

export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const FOLLOW_MS_MAX = settings.authority === 'real' ? 280_000 : 200_000;
const POLL_MS = 250;

let count = 0;

/** Returns a new document number that is unique across runs. */
export function number(what = 'INV'): string {
  count += 1;
  return what.startsWith('SIM-') ? `${what}-${settings.run}-${count}` : `${settings.run}-${what}-${count}`;
}

export function key(): string {
  return newKey(settings.run);
}

/** Runs the work on first use and caches its result. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}

interface PostOptions {
  /** `null` sends no idempotency-key header. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly apiKey?: string | null;
}

export function post(path: string, body: Request['body'], options: PostOptions = {}): Promise<Response> {
  const idempotencyKey = options.key === undefined ? key() : options.key;
  const headers = {
    'Content-Type': 'application/json',
    ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
    ...options.headers,
  };
  return client.call({ method: 'POST', path, headers, body, apiKey: options.apiKey });
}

export const SUBMIT = '/v1/einvoice/submit';
export const DRY_RUN = `${SUBMIT}/dry-run`;
export const CANCEL = '/v1/einvoice/cancel';

interface SubmitOptions extends PostOptions {
  readonly type?: 'consolidated' | 'non-consolidated';
}

export function submit(documents: unknown, { type, ...options }: SubmitOptions = {}): Promise<Response> {
  return post(SUBMIT, asEnvelope(documents, type), options);
}

export async function accept(documents: readonly JsonDocument[], options: SubmitOptions = {}): Promise<Body> {
  const response = await submit(documents, options);
  expect(response.status, response.text).toBe(200);
  return response.body;
}

/** Validates documents free of charge. */
export function dryRun(documents: unknown, { type, ...options }: SubmitOptions = {}): Promise<Response> {
  return post(DRY_RUN, asEnvelope(documents, type), { key: null, ...options });
}

export function cancel(body: Request['body'], options: PostOptions = {}): Promise<Response> {
  return post(CANCEL, body, options);
}

export function statusPath(submissionBatchId: string): string {
  return `/v1/saas/submissions/${submissionBatchId}/status`;
}

export interface Status {
  readonly status: string;
  readonly terminal: boolean;
  readonly nextPollAfterSeconds: number | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly documents: readonly DocumentStatus[];
  readonly [member: string]: unknown;
}

export interface DocumentStatus {
  readonly documentId: string;
  readonly transactionId: string;
  readonly documentType: string;
  readonly referenceId: string;
  readonly submissionStatus: string;
  readonly authorityStatus: string | null;
  readonly authorityUuid: string | null;
  readonly errors: readonly {
    readonly code: string;
    readonly authorityCode: string | null;
    readonly pointer: string | null;
  }[];
  readonly waiting: { readonly code: string } | null;
  readonly cancellation: { readonly status: string; readonly errors: readonly { readonly code: string }[] } | null;
  readonly [member: string]: unknown;
}

export async function readStatus(submissionBatchId: string): Promise<Status> {
  const response = await client.call({ path: statusPath(submissionBatchId) });
  expect(response.status, response.text).toBe(200);
  return response.body as unknown as Status;
}

/** Polls until a condition on the status holds. @throws Error with the last status after the timeout */
export async function follow(
  submissionBatchId: string,
  holds: (status: Status) => boolean = isTerminal,
): Promise<Status> {
  const giveUpAt = Date.now() + FOLLOW_MS_MAX;
  for (;;) {
    const status = await readStatus(submissionBatchId);
    if (holds(status)) return status;
    if (Date.now() > giveUpAt) throw new Error(`The status did not come in time; it is ${JSON.stringify(status)}`);
    await wait(POLL_MS);
  }
}

export function isTerminal({ terminal }: Status): boolean {
  return terminal;
}

/** Asserts an error response with this status and code. */
export function expectRefused(response: Response, status: number, code: string): Body {
  expect({ status: response.status, code: response.body.code }, response.text).toEqual({ status, code });
  expect(response.body.message).toMatch(/\S/);
  expect(response.body.requestId).toBe(response.headers.get('x-request-id'));
  return response.body;
}

/** Asserts a `validation_failed` response whose first problem points to this field. */
export function expectBroken(response: Response, pointer: string, rule?: string): void {
  const { message, errors, details } = expectRefused(response, 400, 'validation_failed');
  expect(errors[0]).toBe(message);
  expect(details).toHaveLength(errors.length);
  expect(details[0].pointer, response.text).toBe(pointer);
  if (rule !== undefined) expect(details[0].rule).toBe(rule);
  for (const { hint, rule: broken } of details) expect(hint, broken).toMatch(/\S/);
}

/** Reads the remaining credits of an organisation with a dry run. */
export async function readBalance(apiKey?: string): Promise<number> {
  const response = await dryRun([consolidatedInvoice(number())], { type: 'consolidated', apiKey });
  expect(response.headers.has('x-credits-remaining'), response.text).toBe(true);
  return readNumber(response.headers, 'x-credits-remaining');
}

/** Asserts that the work charges no credits. */
export async function freeOfCharge<T>(work: () => Promise<T>): Promise<T> {
  const before = await readBalance();
  const result = await work();
  expect(await readBalance()).toBe(before);
  return result;
}
