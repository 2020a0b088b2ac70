import type { HistoryEntry } from '../load/history.js';

/** Entry of the authority's wire log. */
export interface WireDocument {
  /** SHA-256 of the document's raw bytes. */
  readonly sha256: string;
  readonly number: string;
  /** `01` invoice, `02` credit note. */
  readonly type: string;
  readonly supplierTin: string;
  readonly uuid: string;
}

/** Attempt of a document, as stored by the service. */
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
  /** SHA-256 of the stored bytes, or null if the document was not built. */
  readonly sha256: string | null;
  readonly content: DocumentContent | null;
}

/** Members of an authority document that a client can predict. */
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

/** Event that was delivered to a consumer. */
export interface RecordedRow {
  readonly consumer: string;
  readonly eventId: string;
  readonly documentId: string;
  readonly kind: string;
  /** Id of the attempt and its version, or id of the cancellation and its status. */
  readonly source: string;
}

/** Evidence of one tenant after a run: responses to its clients, database rows and accepted documents. */
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
  readonly statusByUuid: ReadonlyMap<string, string>;
  readonly consumers: readonly string[];
  readonly recorded: readonly RecordedRow[];
}

/** Entry of the authority's call log. */
export interface AuthorityCall {
  readonly api: string;
  readonly clientId: string;
  readonly at: number;
  readonly status: number | null;
  /** Injected fault of the call, or null. */
  readonly fault: string | null;
  readonly retryAfterSeconds: number | null;
}

/** Evidence after a run that does not belong to a tenant. */
export interface SharedEvidence {
  readonly calls: readonly AuthorityCall[];
  /** Connections, locks and leases that were not released. */
  readonly leftovers: readonly string[];
  /** Unexpected exits of processes. */
  readonly violations: readonly string[];
  /** Violations of the delivery rules of document events. */
  readonly departures: readonly string[];
  /** Client calls without a response. */
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

/** Violation of a guarantee, with the affected ids. */
export interface Finding {
  readonly check: CheckName;
  readonly what: string;
  readonly ids: Readonly<Record<string, string | number | null>>;
}
