import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

export type DocumentType = 'invoice' | 'credit_note';

/** Expected content of a sent document at the authority, computed independently of the service. */
export interface SentDocument {
  readonly documentType: DocumentType;
  readonly referenceId: string;
  readonly payableSen: number;
  readonly lines: number;
  readonly buyer: string;
}

export interface AcceptedSubmit {
  readonly submissionBatchId: string;
  readonly documents: readonly { documentId: string; documentType: string; referenceId: string }[];
}

export interface AcceptedCancel {
  readonly documentId: string;
  readonly transactionId: string;
}

/** One response to one send of a call. */
export interface ReceivedResponse {
  readonly status: number;
  readonly code: string | null;
  /** SHA-256 of the body for 200 and 202, otherwise null. */
  readonly sha256: string | null;
}

interface Call {
  readonly key: string;
  /** Responses in order, without requests that got no response. */
  readonly answers: readonly ReceivedResponse[];
}

/** Entry of a client's history: one entry per logical call, including its retries. */
export type HistoryEntry =
  | (Call & {
      readonly kind: 'submit';
      readonly documents: readonly SentDocument[];
      readonly accepted: AcceptedSubmit | null;
    })
  | (Call & { readonly kind: 'cancel'; readonly documentId: string; readonly accepted: AcceptedCancel | null })
  /** Reuse of an earlier key. */
  | (Call & { readonly kind: 'again'; readonly operation: 'submit' | 'cancel'; readonly isSameBody: boolean })
  /** Request for a resource of another tenant. */
  | (Call & { readonly kind: 'foreign' })
  /** New ids in a response to this tenant. */
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  /** Response that the interface does not define for the request. */
  | { readonly kind: 'unexpected'; readonly what: string };

/** Histories of all clients, in one file per tenant to limit memory. */
export class History {
  private readonly files = new Map<string, WriteStream>();

  constructor(private readonly directory: string) {}

  add(tenantId: string, entry: HistoryEntry): void {
    let file = this.files.get(tenantId);
    if (file === undefined) {
      file = createWriteStream(this.toFilePath(tenantId));
      this.files.set(tenantId, file);
    }
    file.write(`${JSON.stringify(entry)}\n`);
  }

  async close(): Promise<void> {
    for (const file of this.files.values()) {
      const finished = once(file, 'finish');
      file.end();
      await finished;
    }
  }

  async read(tenantId: string): Promise<HistoryEntry[]> {
    if (!this.files.has(tenantId)) return [];
    const entries: HistoryEntry[] = [];
    for await (const line of createInterface({ input: createReadStream(this.toFilePath(tenantId)) })) {
      entries.push(JSON.parse(line) as HistoryEntry);
    }
    return entries;
  }

  private toFilePath(tenantId: string): string {
    return path.join(this.directory, `history-${tenantId}.jsonl`);
  }
}
