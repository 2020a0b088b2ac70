import { ApiError } from '../errors/api-error.js';

export interface DocumentConflict {
  readonly documentType: string;
  readonly referenceId: string;
  readonly submissionStatus: string;
  readonly authorityStatus: string | null;
  readonly documentId: string;
  readonly submissionBatchId: string;
}

export interface Duplicate {
  readonly documentIndex: number;
  readonly existing: DocumentConflict;
}

export class DuplicateDocumentError extends ApiError {
  readonly status = 409;
  readonly code = 'duplicate_document';

  /** @param duplicates in request order, at least one */
  constructor(private readonly duplicates: readonly Duplicate[]) {
    super('Document already exists and cannot be resubmitted');
  }

  /** Returns the first existing document, and all existing documents in `details`. */
  override details(): Record<string, unknown> {
    return { ...this.duplicates[0].existing, details: this.duplicates.map(toDetail) };
  }
}

function toDetail({ documentIndex, existing }: Duplicate): Record<string, unknown> {
  const { documentType, authorityStatus, submissionStatus, submissionBatchId } = existing;
  return {
    pointer: `/documents/${documentIndex}/referenceId`,
    documentIndex,
    rule: 'duplicate_document',
    message: `is the number of an existing ${documentType}, which is ${authorityStatus ?? submissionStatus}`,
    hint: `if it is the same ${documentType}, follow it in batch ${submissionBatchId} and take it out of the request; otherwise give it another number`,
    ...existing,
  };
}
