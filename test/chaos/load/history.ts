import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

export type DocumentType = 'invoice' | 'credit_note';

/**
 * A document as a client sent it, and what the authority must see of it; computed by the client, not by the service.
 */
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
  /** SHA-256 of the body; of 200 and 202 only. */
  readonly sha256: string | null;
}

interface Call {
  readonly key: string;
  /** In the order they came; sends without a response are not among them. */
  readonly answers: readonly ReceivedResponse[];
}

/** What a client did and was told: one entry for each logical call, written when its client was done with it. */
export type HistoryEntry =
  | (Call & {
      readonly kind: 'submit';
      readonly documents: readonly SentDocument[];
      readonly accepted: AcceptedSubmit | null;
    })
  | (Call & { readonly kind: 'cancel'; readonly documentId: string; readonly accepted: AcceptedCancel | null })
  /** An earlier key again: with its own body, or with another one. */
  | (Call & { readonly kind: 'again'; readonly operation: 'submit' | 'cancel'; readonly isSameBody: boolean })
  /** A question about what belongs to somebody else. */
  | (Call & { readonly kind: 'foreign' })
  /** Ids in answers to this tenant, each once. */
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  /** A response that the interface does not define for what was asked. */
  | { readonly kind: 'unexpected'; readonly what: string };

/** The clients' records on disk, a file for each tenant: a long run has more of them than memory should hold. */
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
