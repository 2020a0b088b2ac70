import type { WireLogEntry } from './archive.js';
import type { StoredDocument } from './documents.js';
import type { WaitingFault } from './fault-table.js';
import type { SimulatorSettings } from './settings.js';
import type { IssuedToken } from './token-book.js';

/** A document as it is kept: what follows from its content is read from it again. */
export interface KeptDocument {
  readonly uuid: string;
  /** In base64. */
  readonly raw: string;
  /** When it is validated; null for never, or when it has been. */
  readonly dueAt: number | null;
}

export interface KeptSubmission {
  readonly uid: string;
  readonly submitter: string;
  readonly receivedAt: number;
  readonly documents: readonly KeptDocument[];
}

export type DocumentState = Pick<StoredDocument, 'outcome' | 'cancelledAt' | 'rejectRequestedAt' | 'reason'>;

/** What each change of the simulator's memory consists of. All of them in order make the memory again. */
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
  /** Begins the log of accepted documents again; of the entries up to here only the count is left. */
  wireLog: { readonly forgotten: number };
  wireLogEntries: readonly WireLogEntry[];
}

export type ChangeKind = keyof ChangeByKind;
export type Change = { [Kind in ChangeKind]: readonly [Kind, ChangeByKind[Kind]] }[ChangeKind];
