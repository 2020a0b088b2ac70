import { type Chunk, cutIntoChunks, DOCUMENTS_PER_REQUEST_MAX, findRepeated } from './chunks.js';
import { EInvoiceError, type ErrorCode, type ErrorFacts } from './errors.js';
import type { SubmitAccepted, SubmitDocument, SubmitRequest } from './types.js';

/** Durable key-value store. Each write must be atomic. */
export interface RunStore {
  get(name: string): Promise<string | null | undefined> | string | null | undefined;
  /** Must resolve only after the text is durable. */
  set(name: string, text: string): Promise<void> | void;
}

interface RunSettings {
  /**
   * Permanent name of this list, with 1 to 200 visible ASCII characters. Idempotency keys are derived from it, so each
   * new list needs a new name.
   */
  readonly runId: string;
  /** Number from 1 to 100. It must be the same in every call of a run. */
  readonly documentsPerRequest?: number;
  readonly signal?: AbortSignal;
}

/** Settings of a run. Without a store, a run can be continued for 30 days after its first call. */
export type Run = RunSettings &
  (
    | { readonly store: RunStore; readonly startedAt?: undefined }
    | {
        readonly store?: undefined;
        /** Time of the run's first call. It must be the same in every call. */
        readonly startedAt: Date;
      }
  );

export type AcceptedBatch = SubmitAccepted & { readonly idempotencyKey: string };

interface SubmitAllFacts extends ErrorFacts {
  readonly accepted: readonly AcceptedBatch[];
  readonly chunk: Chunk;
}

/** Reason why a run stopped. The batches in `accepted` were submitted. Documents after `documents` were not sent. */
export class SubmitAllError extends EInvoiceError {
  override readonly name = 'SubmitAllError';
  readonly accepted: readonly AcceptedBatch[];
  /** Documents of the request that stopped the run. The `documentIndex` of a problem refers to this list. */
  readonly documents: readonly SubmitDocument[];
  /** Index of the first of `documents` in the whole list. */
  readonly firstIndex: number;

  constructor(code: ErrorCode, message: string, facts: SubmitAllFacts) {
    super(code, message, facts);
    this.accepted = facts.accepted;
    this.documents = facts.chunk.documents;
    this.firstIndex = facts.chunk.firstIndex;
  }
}

/** The part of the client that submitAll uses. */
export interface Submitter {
  readonly environment: string;
  now(): number;
  /** @param isOutcomeUnknown whether an earlier request with this key may have been accepted */
  submitText(
    text: string,
    options: { idempotencyKey: string; isOutcomeUnknown: boolean; signal: AbortSignal | undefined },
  ): Promise<SubmitAccepted>;
}

// The service keeps keys for 30 days. One day is a margin for clock skew and for the duration of the run.
const KEY_DAYS = 29;
const DAY_MS = 86_400_000;
const RUN_ID = /^[\x21-\x7e]{1,200}$/;

/**
 * Submits a list of any length in sequential requests. The key of a request depends on its position, so that a repeated
 * run receives the stored responses of accepted requests and continues after them.
 *
 * Sequential requests are safe even if the list has changed: the accepted documents are always a prefix of the list,
 * and a request is sent only after all earlier ones were found unchanged, by the store or by the service's 409
 * `idempotency_key_reused`. A key derived from the documents would change with a document, which would then be
 * charged twice.
 * @throws SubmitAllError at the first request that is rejected or has an unknown outcome
 */
export async function submitAll(submitter: Submitter, request: SubmitRequest, run: Run): Promise<AcceptedBatch[]> {
  const { runId, documentsPerRequest = DOCUMENTS_PER_REQUEST_MAX, signal } = run;
  assertRun(run, documentsPerRequest, submitter.now());
  assertNoneRepeated(request.documents);
  const chunks = cutIntoChunks(request, documentsPerRequest);
  const memory = openMemory(run, submitter.environment);
  await assertNoneRemoved(memory, runId, chunks.length);
  const accepted: AcceptedBatch[] = [];
  for (const chunk of chunks) {
    signal?.throwIfAborted();
    const key = `${runId}.${chunk.number}`;
    const stop = (code: ErrorCode, message: string, facts: ErrorFacts = {}): SubmitAllError =>
      new SubmitAllError(code, message, { idempotencyKey: key, ...facts, accepted, chunk });
    accepted.push(await submitChunk({ submitter, memory, key, signal, stop }, chunk));
  }
  return accepted;
}

interface ChunkContext {
  readonly submitter: Submitter;
  readonly memory: RunMemory;
  readonly key: string;
  readonly signal: AbortSignal | undefined;
  readonly stop: Stop;
}

async function submitChunk(context: ChunkContext, chunk: Chunk): Promise<AcceptedBatch> {
  const { submitter, memory, key, signal, stop } = context;
  const digest = await computeDigest(chunk.text);
  const entry = await memory.read(key);
  if (entry.digest !== undefined && entry.digest !== digest) throw stop('run_changed', describeChange(chunk, entry));
  if (entry.accepted !== undefined) return entry.accepted;
  const attemptedAt = entry.attemptedAt ?? new Date(submitter.now()).toISOString();
  if (submitter.now() - Date.parse(attemptedAt) > KEY_DAYS * DAY_MS) {
    throw stop('run_expired', describeExpiry(chunk, attemptedAt), { isOutcomeUnknown: true });
  }
  // Stored before the request is sent, because its outcome is unknown from then on. The service keeps the key for a
  // limited time after the first attempt.
  const isResumed = entry.attemptedAt !== undefined;
  if (!isResumed) await memory.write(key, { digest, attemptedAt });
  const options = { idempotencyKey: key, isOutcomeUnknown: isResumed, signal };
  const batch = await submitter.submitText(chunk.text, options).catch(async (error: unknown) => {
    if (!(error instanceof EInvoiceError)) throw error;
    // The key was not used, so the documents may change before the next call.
    if (!error.isOutcomeUnknown) await memory.write(key, {});
    throw toStop(error, chunk, stop);
  });
  const accepted = { ...batch, idempotencyKey: key };
  await memory.write(key, { digest, accepted });
  return accepted;
}

/** Stored state of a request: empty, an attempt with unknown outcome, or an accepted response. */
interface Entry {
  readonly digest?: string;
  readonly attemptedAt?: string;
  readonly accepted?: AcceptedBatch;
}

interface RunMemory {
  read(key: string): Promise<Entry>;
  write(key: string, entry: Entry): Promise<void>;
}

function openMemory({ store, startedAt }: Run, environment: string): RunMemory {
  if (store === undefined) {
    // Without a store, any request may have been attempted since the start of the run.
    const entry = { attemptedAt: startedAt.toISOString() };
    return { read: () => Promise.resolve(entry), write: () => Promise.resolve() };
  }
  // Sandbox and production have separate idempotency keys and therefore separate runs.
  const toName = (key: string): string => `${environment}.${key}`;
  return {
    read: async (key) => parseEntry(toName(key), await store.get(toName(key))),
    write: async (key, entry) => {
      await store.set(toName(key), JSON.stringify(entry));
    },
  };
}

function parseEntry(name: string, text: string | null | undefined): Entry {
  if (text === null || text === undefined) return {};
  try {
    const entry: unknown = JSON.parse(text);
    if (typeof entry === 'object' && entry !== null) return entry;
  } catch {
    // Malformed JSON is reported below.
  }
  throw new EInvoiceError(
    'store_unreadable',
    `The store's text ${name} is damaged. If the run began less than ${KEY_DAYS} days ago, delete it`,
  );
}

type Stop = (code: ErrorCode, message: string, facts?: ErrorFacts) => SubmitAllError;

function toStop(cause: EInvoiceError, chunk: Chunk, stop: Stop): SubmitAllError {
  const { code, message, status, body, requestId, retryAfterSeconds, idempotencyKey, isOutcomeUnknown } = cause;
  const facts = { status, body, requestId, retryAfterSeconds, idempotencyKey, isOutcomeUnknown, cause };
  return code === 'idempotency_key_reused'
    ? stop('run_changed', describeChange(chunk, {}), facts)
    : stop(code, message, facts);
}

async function assertNoneRemoved(memory: RunMemory, runId: string, count: number): Promise<void> {
  const { digest } = await memory.read(`${runId}.${count + 1}`);
  if (digest === undefined) return;
  throw new EInvoiceError(
    'run_changed',
    `Run ${runId} has sent more than ${count} requests: documents were removed from its list. ` +
      'Call it with the list as it was, or begin a new run with documents that were never sent',
  );
}

function assertNoneRepeated(documents: readonly SubmitDocument[]): void {
  const repeated = findRepeated(documents);
  if (repeated === null) return;
  const [one, other] = repeated;
  const { documentType, referenceId } = documents[other];
  throw new EInvoiceError(
    'document_repeated',
    `documents[${one}] and documents[${other}] are both the ${documentType} ${referenceId}; remove one. No request was sent`,
  );
}

function assertRun({ runId, store, startedAt }: Run, documentsPerRequest: number, now: number): void {
  if (!RUN_ID.test(runId)) throw new TypeError('runId must have 1 to 200 visible ASCII characters');
  const isCount = Number.isInteger(documentsPerRequest) && documentsPerRequest >= 1;
  if (!isCount || documentsPerRequest > DOCUMENTS_PER_REQUEST_MAX) {
    throw new TypeError(`documentsPerRequest must be 1 to ${DOCUMENTS_PER_REQUEST_MAX}`);
  }
  if ((store === undefined) === (startedAt === undefined)) {
    throw new TypeError('A run needs either a store, or startedAt: when it was called first');
  }
  if (startedAt !== undefined && !(startedAt.getTime() <= now + DAY_MS)) {
    throw new TypeError('startedAt must be when the run was called first, which is not in the future');
  }
}

function describeChange({ number, documents }: Chunk, { attemptedAt }: Entry): string {
  const [first] = documents;
  const span = `request ${number} of the run (from ${first.documentType} ${first.referenceId})`;
  const fate = attemptedAt === undefined ? 'were accepted' : 'may have been accepted';
  return (
    `The documents of ${span} differ from the documents that ${fate} with its key. No request was sent. Call it with the documents as ` +
    'they were, or begin a new run with documents that were never sent'
  );
}

function describeExpiry({ number }: Chunk, attemptedAt: string): string {
  return (
    `Request ${number} of the run may have been accepted after ${attemptedAt}, longer ago than the service remembers ` +
    'keys. No request was sent. Look its documents up in the dashboard, and begin a new run with those that are missing'
  );
}

async function computeDigest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
