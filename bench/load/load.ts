import { randomUUID } from 'node:crypto';
import autocannon from 'autocannon';
import { bodyTemplates, Numbering, renderBody, type Template } from '../content/templates.js';
import { type LoadResult, summarise } from '../measure/load-result.js';
import { serveTasks } from '../processes/serve-tasks.js';

/** Target, number of connections and total number of requests. */
interface Load {
  /** Base address: `http://HOST:PORT/api`. */
  readonly url: string;
  readonly connections: number;
  readonly requests: number;
}

/** Load of submits. Each connection uses one tenant. Each request has new document numbers and a new key. */
export interface SubmitLoad extends Load {
  readonly kind: 'submit';
  readonly apiKeys: readonly string[];
  readonly documentsPerBatch: number;
  readonly numberPrefix: string;
}

/** Load of status reads. Each batch is read with its tenant's key. */
export interface StatusLoad extends Load {
  readonly kind: 'status';
  readonly batches: readonly { readonly batchId: string; readonly apiKey: string; readonly size: number }[];
}

export type LoadTask = SubmitLoad | StatusLoad;

interface NextRequest {
  readonly request: autocannon.Request;
  /** Number of documents that the response must contain. */
  readonly documents: number;
}

const TIMEOUT_SECONDS = 30;
const SAMPLE_MS = 50;

// Strings that occur once per document in the responses to submits, status reads and the status floor.
const DOCUMENT_MARKS = ['"documentId":', '"document_id":'] as const;

const templatesBySize = new Map<number, Template[]>();

serveTasks((task: LoadTask) => run(task, task.kind === 'submit' ? submits(task) : statusReads(task)));

/**
 * Runs a load.
 * @throws Error with the first incorrect response
 */
async function run(load: Load, createNext: (connection: number) => () => NextRequest): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  const failures: string[] = [];
  let connections = 0;
  let endedAt = 0;
  const setupClient = (client: autocannon.Client): void => {
    client.setRequests([checked(createNext(connections), failures)]);
    connections += 1;
  };
  const startedAt = performance.now();
  const options = { url: load.url, connections: load.connections, amount: load.requests, timeout: TIMEOUT_SECONDS };
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon({ ...options, setupClient, sampleInt: SAMPLE_MS }, (error: unknown, done) => {
      if (error instanceof Error) reject(error);
      else resolve(done);
    });
    instance.on('response', (_client, _status, _bytes, responseMs) => {
      latenciesMs.push(responseMs);
      endedAt = performance.now();
    });
  });
  if (result.errors + result.timeouts > 0) failures.push(`${result.errors} errors, ${result.timeouts} timeouts`);
  if (failures.length > 0) throw new Error(`${failures.length} wrong answers, the first: ${failures[0]}`);
  return summarise(latenciesMs, endedAt - startedAt);
}

/** Generates the next request after checking the response to the previous one. */
function checked(next: () => NextRequest, failures: string[]): autocannon.Request {
  let documents = 0;
  return {
    setupRequest: (defaults) => {
      const made = next();
      documents = made.documents;
      return { ...defaults, ...made.request };
    },
    onResponse: (status, body) => {
      if (status === 200 && documentsIn(body) === documents) return;
      failures.push(`${status} ${body.slice(0, 300)}`);
    },
  };
}

function documentsIn(body: string): number {
  const mark = DOCUMENT_MARKS.find((one) => body.includes(one));
  return mark === undefined ? 0 : body.split(mark).length - 1;
}

function submits(load: SubmitLoad): (connection: number) => () => NextRequest {
  const templates = templatesBySize.get(load.documentsPerBatch) ?? bodyTemplates(load.documentsPerBatch);
  templatesBySize.set(load.documentsPerBatch, templates);
  const numbering = new Numbering(load.numberPrefix);
  const path = new URL(`${load.url}/v1/einvoice/submit`).pathname;
  let sent = 0;
  return (connection) => () => {
    sent += 1;
    const headers = {
      'content-type': 'application/json',
      'x-api-key': load.apiKeys[connection % load.apiKeys.length],
      'idempotency-key': randomUUID(),
    };
    const body = renderBody(templates[sent % templates.length], numbering);
    return { request: { method: 'POST', path, headers, body }, documents: load.documentsPerBatch };
  };
}

function statusReads(load: StatusLoad): (connection: number) => () => NextRequest {
  const prefix = new URL(`${load.url}/v1/saas/submissions`).pathname;
  let read = 0;
  return () => () => {
    const { batchId, apiKey, size } = load.batches[read % load.batches.length];
    read += 1;
    const request: autocannon.Request = {
      method: 'GET',
      path: `${prefix}/${batchId}/status`,
      headers: { 'x-api-key': apiKey },
    };
    return { request, documents: size };
  };
}
