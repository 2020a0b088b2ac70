import type { EntityManager } from 'typeorm';
import { createProviderDecorator } from '../common/decorated-providers.js';
import type { Environment } from '../config/environment.js';
import type { DocumentType } from '../documents/simplified-document.js';
import type { AttemptStatus, CancellationStatus } from '../documents/statuses.js';

interface Change {
  /**
   * The same on every delivery of the event: compare it for equality alone. Deliveries have the order of a document's
   * events; ids need not have it, where an attempt and its cancellation changed at the same time.
   */
  readonly id: string;
  readonly tenantId: string;
  readonly environment: Environment;
  readonly documentId: string;
  /** The attempt. */
  readonly transactionId: string;
  readonly referenceId: string;
  readonly documentType: DocumentType;
  readonly at: Date;
}

/** An attempt was accepted, or has moved to another status. */
export interface StatusChanged extends Change {
  readonly kind: 'status';
  /** Null when it was accepted. */
  readonly from: AttemptStatus | null;
  readonly to: AttemptStatus;
  readonly version: number;
  /** What brought it about, such as `poll`. */
  readonly cause: string;
  /** Of the authority's call. */
  readonly correlationId: string | null;
}

/** The cancellation of an attempt was accepted, or has moved to another status. */
export interface CancellationChanged extends Change {
  readonly kind: 'cancellation';
  readonly cancellationId: string;
  readonly from: CancellationStatus | null;
  readonly to: CancellationStatus;
}

export type DocumentEvent = StatusChanged | CancellationChanged;

/** Reacts to what happens to documents. */
export interface DocumentEventHandler {
  /**
   * Called for every event, those of one document in their order. What it writes with `tx` is committed together with the
   * end of the delivery; after an error both are undone, and it is called again later.
   */
  handle(event: DocumentEvent, tx: EntityManager): Promise<void>;
}

/** On a class that a module of the dispatcher provides, with the name under which its deliveries are stored. */
export const DocumentEventConsumer = createProviderDecorator<DocumentEventHandler, string>();
