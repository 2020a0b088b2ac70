import type { HistoryEntry } from '../load/history.js';

/** A document that the authority accepted, as its wire log has it. */
export interface WireDocument {
  /** Of the document's raw bytes. */
  readonly sha256: string;
  readonly number: string;
  /** `01` invoice, `02` credit note. */
  readonly type: string;
  readonly supplierTin: string;
  readonly uuid: string;
}

/** An attempt with what the service stored of it. */
export interface TransactionRow {
  readonly id: string;
  readonly documentId: string;
  readonly submissionBatchId: string;
  readonly position: number;
  readonly attempt: number;
  readonly documentType: string;
  readonly referenceId: string;
  readonly submissionStatus: string;
  readonly authorityStatus: string | null;
  readonly authorityUuid: string | null;
  /** Of the stored bytes; null when none were made. */
  readonly sha256: string | null;
  /** What the stored bytes say. */
  readonly content: DocumentContent | null;
}

/** What a document of the authority says, as far as a client can predict it. */
export interface DocumentContent {
  readonly type: string;
  readonly number: string;
  readonly payableSen: number;
  readonly lines: number;
  readonly buyer: string;
}

export interface EventRow {
  readonly transactionId: string;
  readonly version: number;
  readonly fromState: string;
  readonly toState: string;
}

export interface CancellationRow {
  readonly id: string;
  readonly documentId: string;
  readonly transactionId: string;
  readonly status: string;
  readonly errorCount: number;
}

export interface EntryRow {
  readonly sequence: number;
  readonly kind: string;
  readonly amount: number;
  readonly balanceAfter: number;
  readonly causeId: string;
}

export interface AnswerRow {
  readonly operation: string;
  readonly key: string;
  readonly sha256: string;
}

/** An event that a consumer was brought. */
export interface RecordedRow {
  readonly consumer: string;
  readonly eventId: string;
  readonly documentId: string;
  readonly kind: string;
  /** The attempt with its version, or the cancellation with its status. */
  readonly source: string;
}

/** Everything that is known of one tenant when all has come to rest: what it was told, what we hold, what was sent. */
export interface TenantEvidence {
  readonly tenantId: string;
  readonly history: readonly HistoryEntry[];
  readonly batches: readonly { readonly id: string; readonly documentCount: number }[];
  readonly transactions: readonly TransactionRow[];
  readonly events: readonly EventRow[];
  readonly cancellations: readonly CancellationRow[];
  readonly submissions: readonly { readonly id: string; readonly state: string }[];
  readonly account: { readonly balance: number; readonly entrySequence: number };
  readonly lots: readonly { readonly granted: number; readonly remaining: number }[];
  readonly entries: readonly EntryRow[];
  readonly answers: readonly AnswerRow[];
  readonly wire: readonly WireDocument[];
  /** The authority's status of each document, by uuid. */
  readonly statusByUuid: ReadonlyMap<string, string>;
  /** Of document events, which record what they are brought; none in most runs. */
  readonly consumers: readonly string[];
  /** In the order in which it was handled. */
  readonly recorded: readonly RecordedRow[];
}

/** A call that reached the authority, as its call log has it. */
export interface AuthorityCall {
  readonly api: string;
  readonly clientId: string;
  readonly at: number;
  readonly status: number | null;
  /** What the run had it suffer; null: the response is the authority's own. */
  readonly fault: string | null;
  readonly retryAfterSeconds: number | null;
}

/** What no tenant owns, when all has come to rest. */
export interface SharedEvidence {
  readonly calls: readonly AuthorityCall[];
  /** Connections, locks, leases that should be gone. */
  readonly leftovers: readonly string[];
  /** Ends of processes that nobody asked for. */
  readonly violations: readonly string[];
  /** Where deliveries of document events departed from their rules. */
  readonly departures: readonly string[];
  /** Calls of clients that never got a response. */
  readonly unanswered: readonly string[];
}

export const CHECKS = [
  'lost',
  'duplicated',
  'credits_off',
  'illegal_transitions',
  'unresolved',
  'unasked',
  'content_off',
  'responses_off',
  'foreign_ids',
  'cancels_off',
  'calls_off',
  'leaked',
  'deliveries_off',
] as const;
export type CheckName = (typeof CHECKS)[number];

/** A broken promise, with the ids that it concerns. */
export interface Finding {
  readonly check: CheckName;
  readonly what: string;
  readonly ids: Readonly<Record<string, string | number | null>>;
}
