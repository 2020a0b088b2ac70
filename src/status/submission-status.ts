import { createHash } from 'node:crypto';
import type { Environment } from '../config/environment.js';
import { DOCUMENT_TYPE_ROWS } from '../documents/document-types.js';
import { CANCELLATION_WINDOW_CLOSED } from '../documents/error-catalogue/calls.js';
import {
  getAttemptState,
  computeBatchStatus,
  computeCancellableUntil,
  countStates,
  isTerminal,
} from '../documents/statuses.js';
import type {
  SubmissionStatusDto,
  DocumentStatusDto,
  CancellationDto,
  HeldForDto,
} from './dto/submission-status.dto.js';
import { computePollInterval } from './poll-interval.js';
import type { StatusRow } from './status.sql.js';
import { toWaiting } from './waiting.js';

export interface StatusRequest {
  readonly submissionBatchId: string;
  readonly environment: Environment;
  readonly portalUrl: string;
}

/** Builds the status response (docs/rules.md#status-response) from the rows of a batch, which always has one. */
export function toSubmissionStatus(rows: readonly StatusRow[], request: StatusRequest): SubmissionStatusDto {
  const [first] = rows;
  const counts = countStates(rows.map((row) => getAttemptState(toAttemptStatus(row))));
  const status = computeBatchStatus(counts);
  // A cancellation in progress changes a final status.
  const terminal = isTerminal(status) && !rows.some(isBeingCancelled);
  return {
    submissionBatchId: request.submissionBatchId,
    submissionType: first.submission_type,
    environment: request.environment,
    status,
    terminal,
    createdAt: first.batch_created_at.toISOString(),
    updatedAt: new Date(Math.max(...rows.map(findUpdatedAt))).toISOString(),
    documentCount: rows.length,
    counts,
    nextPollAfterSeconds: terminal ? null : computeNextPollAfterSeconds(rows),
    documents: rows.map((row) => toDocumentStatus(row, request.portalUrl)),
  };
}

/** Returns an entity tag that changes with every document of the batch and its reason for waiting. */
export function computeEntityTag(rows: readonly StatusRow[]): string {
  const hash = createHash('sha1');
  for (const row of rows) {
    const { version, cancellation_id: id, cancellation_status: status } = row;
    hash.update(`${version}/${id ?? ''}${status ?? ''}/${toWaiting(row)?.code ?? ''};`);
  }
  return `W/"${hash.digest('base64url')}"`;
}

function toAttemptStatus(row: StatusRow): Parameters<typeof getAttemptState>[0] {
  return { submissionStatus: row.submission_status, authorityStatus: row.authority_status };
}

function findUpdatedAt(row: StatusRow): number {
  return Math.max(row.updated_at.getTime(), row.cancellation_updated_at?.getTime() ?? 0);
}

/** Returns an interval that grows with the age of the batch, or of its latest cancellation in progress. */
function computeNextPollAfterSeconds(rows: readonly StatusRow[]): number {
  const [{ now, batch_created_at: createdAt }] = rows;
  const cancelledFrom = rows.filter(isBeingCancelled).map((row) => row.cancellation_requested_at?.getTime() ?? 0);
  return computePollInterval((now.getTime() - Math.max(createdAt.getTime(), ...cancelledFrom)) / 1_000);
}

/** Whether a document or a cancellation may still change. */
export function isMoving(rows: readonly StatusRow[]): boolean {
  return rows.some(
    (row) =>
      row.submission_status === 'Queued' ||
      row.submission_status === 'Processing' ||
      row.authority_status === 'Submitted' ||
      isBeingCancelled(row),
  );
}

function isBeingCancelled({ cancellation_status: status }: StatusRow): boolean {
  return status === 'Queued' || status === 'Processing';
}

export function toDocumentStatus(row: StatusRow, portalUrl: string): DocumentStatusDto {
  const { authority_uuid: uuid, authority_long_id: longId } = row;
  return {
    documentId: row.document_id,
    transactionId: row.transaction_id,
    documentType: row.document_type,
    referenceId: row.reference_id,
    submissionStatus: row.submission_status,
    authorityStatus: row.authority_status,
    authorityUuid: uuid,
    authoritySubmissionUid: row.authority_submission_uid,
    authorityLongId: longId,
    validationUrl: uuid === null || longId === null ? null : `${portalUrl}/${uuid}/share/${longId}`,
    totals: row.totals,
    issuedAt: formatInstant(row.issued_at),
    submittedAt: formatInstant(row.submitted_at),
    validatedAt: formatInstant(row.validated_at),
    cancellableUntil: formatInstant(findCancellableUntil(row)),
    cancelledAt: formatInstant(row.cancelled_at),
    rejectionRequestedAt: formatInstant(row.rejection_requested_at),
    heldFor: toHeldFor(row),
    waiting: toWaiting(row),
    errors: row.errors as DocumentStatusDto['errors'],
    cancellation: toCancellation(row),
  };
}

/**
 * Returns null if the document cannot be cancelled. A cancellation that the authority refused as too late closes the
 * window; the submission time replaces an unknown validation time (docs/rules.md#cancellation).
 */
function findCancellableUntil(row: StatusRow): Date | null {
  const windowFrom = row.validated_at ?? row.submitted_at;
  if (row.authority_status !== 'Valid' || windowFrom === null) return null;
  const errors = (row.cancellation_errors ?? []) as CancellationDto['errors'];
  const isTooLate =
    row.cancellation_status === 'Failed' && errors.some(({ code }) => code === CANCELLATION_WINDOW_CLOSED);
  return isTooLate ? null : computeCancellableUntil(windowFrom);
}

function toHeldFor(row: StatusRow): HeldForDto | null {
  const { submission_status: status, held_until: heldUntil, parent_reference_id: referenceId } = row;
  const { parentType } = DOCUMENT_TYPE_ROWS[row.document_type];
  if (status !== 'Queued' || heldUntil === null || referenceId === null || parentType === null) return null;
  return { documentType: parentType, referenceId };
}

function toCancellation(row: StatusRow): CancellationDto | null {
  if (row.cancellation_id === null || row.cancellation_status === null) return null;
  return {
    transactionId: row.cancellation_id,
    status: row.cancellation_status,
    reason: row.cancellation_reason ?? '',
    requestedAt: formatInstant(row.cancellation_requested_at) ?? '',
    errors: (row.cancellation_errors ?? []) as CancellationDto['errors'],
  };
}

function formatInstant(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}
