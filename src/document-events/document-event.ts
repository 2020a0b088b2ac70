import type { EntityManager } from 'typeorm';
import { createProviderDecorator } from '../common/decorated-providers.js';
import type { Environment } from '../config/environment.js';
import type { DocumentType } from '../documents/simplified-document.js';
import type { AttemptStatus, CancellationStatus } from '../documents/statuses.js';

interface Change {
  /**
   * The same for every delivery of the event. Only compare it for equality: ids of simultaneous changes may be out of
   * order, deliveries are not.
   */
  readonly id: string;
  readonly tenantId: string;
  readonly environment: Environment;
  readonly documentId: string;
  readonly transactionId: string;
  readonly referenceId: string;
  readonly documentType: DocumentType;
  readonly at: Date;
}

export interface StatusChanged extends Change {
  readonly kind: 'status';
  /** Null for an accepted attempt. */
  readonly from: AttemptStatus | null;
  readonly to: AttemptStatus;
  readonly version: number;
  readonly cause: string;
  readonly correlationId: string | null;
}

export interface CancellationChanged extends Change {
  readonly kind: 'cancellation';
  readonly cancellationId: string;
  readonly from: CancellationStatus | null;
  readonly to: CancellationStatus;
}

export type DocumentEvent = StatusChanged | CancellationChanged;

export interface DocumentEventHandler {
  /**
   * Called for every event, in order per document. Writes through `tx` are committed together with the end of the
   * delivery. After an error, they are rolled back and the handler is called again later.
   */
  handle(event: DocumentEvent, tx: EntityManager): Promise<void>;
}

/** Registers a provider of a dispatcher module as a consumer. Deliveries are stored under its name. */
export const DocumentEventConsumer = createProviderDecorator<DocumentEventHandler, string>();
