import type { SimplifiedDocument } from '../../documents/simplified-document.js';
import { readSignatureFacts } from '../../paper/signature-facts.js';
import type { ZipEntry } from '../../paper/zip.js';
import { buildRequest } from '../transactions/build-request.js';
import { buildTimeline } from '../transactions/timeline.js';
import type { EvidenceRow } from './papers.sql.js';

export const README: ZipEntry = {
  path: 'README.txt',
  content: Buffer.from(
    `Evidence of documents that were submitted to Malaysia's tax authority (MyInvois). Each attempt has a folder:

request.json    the document as a submit body that can be sent again
document.json   the exact bytes that were built for the authority
signature.json  the properties of the signature in document.json; missing for an unsigned document
authority.json  the stored data of the authority's responses: identifiers, times, errors, and the correlation id of
                each response that changed the status
timeline.json   the history of the attempt, in words
*.pdf           the document in the form for its buyer, if the authority has validated it

A file that does not apply is missing. The service does not store the original bytes of the request or of the
authority's responses, so this archive does not contain them.

manifest-sha256.txt contains the SHA-256 of every other file. "npm run cli -- evidence verify FILE" checks the archive.
After unpacking, "sha256sum --check manifest-sha256.txt" checks the files. The manifest proves that the files belong
together and are unchanged. It does not prove their origin: the signature in document.json and the validation link in
authority.json do.
`,
  ),
};

/** Builds the files of an attempt, except its PDF. */
export function buildEvidenceFiles(row: EvidenceRow, folder: string, validationUrl: string | null): ZipEntry[] {
  const signature = row.bytes === null ? null : readSignatureFacts(row.bytes);
  const files: [name: string, content: object | Buffer | null][] = [
    ['request.json', readRequest(row)],
    ['document.json', row.bytes],
    ['signature.json', signature],
    ['authority.json', buildAuthorityFacts(row, validationUrl)],
    ['timeline.json', buildSteps(row)],
  ];
  return files.flatMap(([name, content]) =>
    content === null ? [] : [{ path: `${folder}/${name}`, content: toBytes(content) }],
  );
}

function toBytes(content: object | Buffer): Buffer {
  return Buffer.isBuffer(content) ? content : Buffer.from(`${JSON.stringify(content, null, 2)}\n`);
}

// The payload of an unbuildable document (document_not_buildable) may be incomplete.
function readRequest({ payload }: EvidenceRow): object | null {
  const document = payload as Partial<SimplifiedDocument> | null;
  if (document?.referenceId === undefined || document.lineItems === undefined) return null;
  return buildRequest(document as SimplifiedDocument);
}

function buildAuthorityFacts(row: EvidenceRow, validationUrl: string | null): object {
  const { callState, submissionUid, sentAt, sends, correlationId, failure } = row;
  return {
    transactionId: row.transactionId,
    documentId: row.documentId,
    submissionBatchId: row.submissionBatchId,
    documentType: row.documentType,
    referenceId: row.referenceId,
    attempt: row.attempt,
    status: row.status,
    uuid: row.uuid,
    longId: row.longId,
    validationUrl,
    issuedAt: row.issuedAt,
    submittedAt: row.submittedAt,
    validatedAt: row.validatedAt,
    cancelledAt: row.cancelledAt,
    rejectionRequestedAt: row.rejectionRequestedAt,
    errors: row.errors,
    submission: callState === null ? null : { submissionUid, state: callState, sentAt, sends, correlationId, failure },
    statusChanges: row.moves.map(({ at, ...move }) => ({ at: new Date(at), ...move })),
    cancellations: row.cancellations.map(({ transactionId, status, reason, errors, createdAt, updatedAt }) => ({
      transactionId,
      status,
      reason,
      errors,
      requestedAt: new Date(createdAt),
      updatedAt: new Date(updatedAt),
    })),
  };
}

function buildSteps({
  createdAt,
  isHeld,
  submittedBy,
  rejectionRequestedAt,
  moves,
  cancellations,
}: EvidenceRow): object {
  return buildTimeline({
    createdAt,
    isHeld,
    submittedBy,
    rejectionRequestedAt,
    moves: moves.map((move) => ({ ...move, at: new Date(move.at) })),
    cancelRequests: cancellations.map(({ status, by, ...times }) => ({
      status,
      by,
      createdAt: new Date(times.createdAt),
      updatedAt: new Date(times.updatedAt),
    })),
  });
}
