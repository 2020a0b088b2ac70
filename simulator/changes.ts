import type { WireLogEntry } from './archive.js';
import type { StoredDocument } from './documents.js';
import type { WaitingFault } from './fault-table.js';
import type { SimulatorSettings } from './settings.js';
import type { IssuedToken } from './token-book.js';

/** Journal form of a document. Values that derive from the content are recomputed on restore. */
export interface KeptDocument {
  readonly uuid: string;
  /** The document's bytes in base64. */
  readonly raw: string;
  /** Time of the pending validation in milliseconds, or null if no validation is pending. */
  readonly dueAt: number | null;
}

export interface KeptSubmission {
  readonly uid: string;
  readonly submitter: string;
  readonly receivedAt: number;
  readonly documents: readonly KeptDocument[];
}

export type DocumentState = Pick<StoredDocument, 'outcome' | 'cancelledAt' | 'rejectRequestedAt' | 'reason'>;

/** Payload of each kind of change. Replaying all changes in order restores the simulator's state. */
export interface ChangeByKind {
  reset: null;
  clock: { readonly offsetMs: number };
  settings: SimulatorSettings;
  submission: KeptSubmission;
  document: { readonly uuid: string; readonly state: DocumentState };
  token: { readonly text: string; readonly token: IssuedToken };
  payload: { readonly key: string; readonly acceptedAt: number };
  appointment: {
    readonly tin: string;
    readonly permissions: readonly string[];
    readonly submitsSince: number | null;
  };
  usedName: string;
  faults: readonly WaitingFault[];
  /** Restarts the wire log; `forgotten` is the number of entries that were deleted before. */
  wireLog: { readonly forgotten: number };
  wireLogEntries: readonly WireLogEntry[];
}

export type ChangeKind = keyof ChangeByKind;
export type Change = { [Kind in ChangeKind]: readonly [Kind, ChangeByKind[Kind]] }[ChangeKind];
