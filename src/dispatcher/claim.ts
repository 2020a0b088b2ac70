import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { DocumentToSubmit } from '../authority/wire.js';
import type { Taxpayer } from '../authority/tokens.js';
import type { Signer } from '../common/signer.js';
import type { Environment } from '../config/environment.js';
import { type AuthorityVersion, buildAuthorityDocument } from '../documents/authority-document.js';
import { issueTimeOf, staleIssueTimesBefore } from '../documents/issue-time.js';
import { signDocument } from '../documents/signature.js';
import type { DocumentType, SimplifiedDocument, Supplier } from '../documents/simplified-document.js';
import { supplierOf } from '../tenants/supplier.js';
import { blockLane, floorOf, type Lane, type LaneBlock, SERVE, takeLane } from './lanes.js';
import { changeStatuses } from './status-changes.js';

/** A document of a call, with the bytes that are sent. */
export interface CallMember extends DocumentToSubmit {
  readonly transactionId: string;
  readonly documentType: DocumentType;
  readonly issuedAt: Date;
  /** How often it was refused alone in its call. */
  readonly refusals: number;
}

/** A call that is durable, leased to this process and about to be made. */
export interface ClaimedSubmission extends Lane {
  readonly submissionId: string;
  readonly owner: string;
  readonly taxpayer: Taxpayer;
  /** An earlier send of the same bytes may have arrived. */
  readonly isResend: boolean;
  /** In the order of their transactions' ids: the same members always give the same bytes. */
  readonly members: readonly CallMember[];
}

/** Documents a call (authority). */
export const CALL_DOCUMENTS_MAX = 100;
// The authority takes 5 MB; 5 % are left for what is counted differently there.
const CALL_BYTES_MAX = 4_750_000;

// Only an operator can take a field out of a profile that acceptance found complete.
const PROFILE_INCOMPLETE: LaneBlock = { reason: 'supplier_profile_incomplete', seconds: 60, secondsMax: 600 };
// What it signs now the authority would find invalid. It stays so until the process is started with its successor.
const CERTIFICATE_EXPIRED: LaneBlock = { reason: 'signing_certificate_expired', seconds: 60, secondsMax: 600 };

// Oldest first, and only as long as the call may grow: by its bytes, and by the size that its oldest document allows;
// one that must travel in a smaller call waits until it is the oldest, and cuts nobody else's call short. Never two equal
// numbers, since the authority's answer names a document by its number alone: at most two documents of a tenant share
// one, so that twice as many candidates always fill a call. What is not due yet comes last among the candidates and is
// left out after them: an upper bound would make the planner expect few rows, and read and sort the lane's whole queue.
// Bytes are kept when they may have arrived or are not too old ($5); whoever has none that are kept is read whole, to be
// built. Bytes come as the text that they are: in hexadecimal they would be twice as long.
const SELECT_QUEUED = /* sql */ `
  WITH candidate AS MATERIALIZED (
    SELECT id, due_at, reference_id, wire_bytes_max, call_size_max FROM document_transaction
     WHERE tenant_id = $1 AND environment = $2 AND submission_status = 'Queued' AND held_until IS NULL
       AND due_at >= (SELECT ${floorOf('l')} FROM dispatch_lane l
                       WHERE l.tenant_id = $1 AND l.environment = $2 AND l.operation = 'submit')
     ORDER BY due_at, id LIMIT ${2 * CALL_DOCUMENTS_MAX}),
  served AS (${SERVE}),
  numbered AS (
    SELECT id, due_at, reference_id, wire_bytes_max, call_size_max,
           row_number() OVER (PARTITION BY reference_id ORDER BY due_at, id) AS nth_of_number,
           first_value(call_size_max) OVER (ORDER BY due_at, id) AS size_max
      FROM candidate WHERE due_at <= $3),
  ranked AS (
    SELECT id, size_max, row_number() OVER in_order AS place, sum(wire_bytes_max) OVER in_order AS bytes
      FROM numbered WHERE nth_of_number = 1 AND call_size_max >= size_max
    WINDOW in_order AS (ORDER BY due_at, id))
  SELECT t.id, t.document_type AS "documentType", t.reference_id AS "referenceId", t.refusals,
         CASE WHEN a.transaction_id IS NULL THEN t.payload END AS payload, t.attempt,
         t.parent_authority_uuid AS "parentAuthorityUuid",
         CASE WHEN t.attempt > 1 AND a.transaction_id IS NULL THEN ARRAY(
           SELECT e.issued_at FROM document_transaction e
            WHERE e.tenant_id = t.tenant_id AND e.document_id = t.document_id AND e.attempt < t.attempt
              AND e.issued_at IS NOT NULL) END AS taken,
         convert_from(a.bytes, 'UTF8') AS text, a.sha256, a.issued_at AS "issuedAt"
    FROM ranked r
    JOIN document_transaction t ON t.tenant_id = $1 AND t.id = r.id AND t.submission_status = 'Queued'
    LEFT JOIN authority_document a ON a.tenant_id = t.tenant_id AND a.transaction_id = t.id
     AND (a.may_have_arrived OR a.issued_at >= $5)
   WHERE r.place <= least(r.size_max, $4) AND (r.bytes <= ${CALL_BYTES_MAX} OR r.place = 1)
   ORDER BY t.id FOR UPDATE OF t SKIP LOCKED`;

interface QueuedIdentity {
  id: string;
  documentType: DocumentType;
  referenceId: string;
  refusals: number;
}

/** With the bytes that it keeps. */
interface BuiltTransaction extends QueuedIdentity {
  payload: null;
  text: string;
  sha256: string;
  issuedAt: Date;
}

interface UnbuiltTransaction extends QueuedIdentity {
  payload: SimplifiedDocument;
  attempt: number;
  /** Instants of issue of the document's earlier attempts; null for the first. */
  taken: Date[] | null;
  parentAuthorityUuid: string | null;
}

type QueuedTransaction = BuiltTransaction | UnbuiltTransaction;

// The call with its bytes. Those of all documents come as one value, which is sent as it is; as an array each of them would
// be written out in hexadecimal and read again, which costs more than storing it. From here on they are fixed (D7), those
// that were kept as well, until it is certain that the send did not arrive: a process that dies after this leaves nothing
// to be done for it. $7 whose bytes were kept, $8 and on the others'.
const STORE_CALL = /* sql */ `
  WITH kept AS (
    UPDATE authority_document SET may_have_arrived = true
     WHERE tenant_id = $1 AND transaction_id = ANY ($7::uuid[]) AND NOT may_have_arrived),
  stored AS (
    INSERT INTO authority_document
      (tenant_id, transaction_id, bytes, sha256, issued_at, version, may_have_arrived, created_at)
    SELECT $1, d.transaction_id, substr($9::bytea, d.first_byte, d.byte_count), d.sha256, d.issued_at, $14, true, $5
      FROM unnest($8::uuid[], $10::integer[], $11::integer[], $12::text[], $13::timestamptz[])
        AS d (transaction_id, first_byte, byte_count, sha256, issued_at)
    ON CONFLICT (tenant_id, transaction_id) DO UPDATE
       SET bytes = excluded.bytes, sha256 = excluded.sha256, issued_at = excluded.issued_at, version = excluded.version,
           may_have_arrived = true, created_at = excluded.created_at
     WHERE NOT authority_document.may_have_arrived)
  INSERT INTO authority_submission
    (tenant_id, id, environment, state, owner, lease_until, sent_at, sends, created_at, updated_at)
  VALUES ($1, $2, $3, 'sending', $4, $5::timestamptz + make_interval(secs => $6), $5, 1, $5, $5)`;

export interface ClaimRequest {
  readonly environment: Environment;
  readonly owner: string;
  readonly leaseSeconds: number;
  readonly documentsMax: number;
  /** Null: documents are built unsigned. */
  readonly signer: Signer | null;
}

/**
 * Fills the next call: takes the least recently served lane, its oldest queued documents, and builds those that have no
 * bytes yet. All of it is durable before the first byte is sent.
 * @returns null when no lane has work, or the lane that was taken could not be served
 */
export async function claimSubmission(tx: EntityManager, request: ClaimRequest): Promise<ClaimedSubmission | null> {
  const taken = await takeLane(tx, request.environment);
  if (taken === null) return null;
  const { lane, now } = taken;
  const supplier = supplierOf(taken.tenant);
  if ('missing' in supplier) {
    await blockLane(tx, lane, { block: PROFILE_INCOMPLETE, now });
    return null;
  }
  if (request.signer !== null && now > request.signer.certificate.validTo) {
    await blockLane(tx, lane, { block: CERTIFICATE_EXPIRED, now });
    return null;
  }
  const queued = await tx.query<QueuedTransaction[]>(SELECT_QUEUED, [
    lane.tenantId,
    lane.environment,
    now,
    request.documentsMax,
    staleIssueTimesBefore(now),
  ]);
  if (queued.length === 0) return null;
  const submissionId = uuidv7();
  const maker = { supplier, signer: request.signer, version: versionOf(request.signer), now };
  const members = queued.map((transaction) => memberOf(transaction, maker));
  await storeCall(
    tx,
    { ...lane, ...request, submissionId, now, version: maker.version },
    {
      kept: members.filter((_, index) => isBuilt(queued[index])),
      built: members.filter((_, index) => !isBuilt(queued[index])),
    },
  );
  await changeStatuses(
    tx,
    { tenantId: lane.tenantId, now },
    members.map(({ transactionId, issuedAt }) => ({
      transactionId,
      to: 'processing',
      cause: 'claimed',
      facts: { authoritySubmissionId: submissionId, issuedAt },
    })),
  );
  const { tin, idType, idValue } = supplier;
  return {
    ...lane,
    submissionId,
    owner: request.owner,
    taxpayer: { tenantId: lane.tenantId, tin, idType, idValue },
    isResend: false,
    members,
  };
}

/** What the documents of a call are made with. */
interface DocumentMaker {
  readonly supplier: Supplier;
  readonly signer: Signer | null;
  readonly version: AuthorityVersion;
  readonly now: Date;
}

// D7.
function versionOf(signer: Signer | null): AuthorityVersion {
  return signer === null ? '1.0' : '1.1';
}

function isBuilt(queued: QueuedTransaction): queued is BuiltTransaction {
  return queued.payload === null;
}

/** A document with the bytes that it keeps, or with new ones. */
function memberOf(queued: QueuedTransaction, maker: DocumentMaker): CallMember {
  const { id: transactionId, documentType, referenceId, refusals } = queued;
  const built = isBuilt(queued)
    ? { bytes: Buffer.from(queued.text), sha256: queued.sha256, issuedAt: queued.issuedAt }
    : build(queued, maker);
  return { transactionId, documentType, referenceId, refusals, ...built };
}

function build(
  { payload: document, attempt, taken, parentAuthorityUuid }: UnbuiltTransaction,
  { supplier, signer, version, now }: DocumentMaker,
): Pick<CallMember, 'bytes' | 'sha256' | 'issuedAt'> {
  const { documentDate } = document;
  const issue = issueTimeOf({ now, documentDate, earlierAttempts: attempt - 1, taken: taken ?? [] });
  const unsigned = buildAuthorityDocument({ document, supplier, ...issue, parentAuthorityUuid, version });
  const bytes = signer === null ? unsigned : signDocument(unsigned, signer, now);
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex'), issuedAt: issue.issuedAt };
}

interface CallToStore extends Lane, Pick<ClaimRequest, 'owner' | 'leaseSeconds'> {
  readonly submissionId: string;
  readonly version: AuthorityVersion;
  readonly now: Date;
}

async function storeCall(
  tx: EntityManager,
  call: CallToStore,
  { kept, built }: { kept: readonly CallMember[]; built: readonly CallMember[] },
): Promise<void> {
  const sizes = built.map(({ bytes }) => bytes.length);
  let next = 1;
  const firsts = sizes.map((size) => (next += size) - size);
  await tx.query(STORE_CALL, [
    call.tenantId,
    call.submissionId,
    call.environment,
    call.owner,
    call.now,
    call.leaseSeconds,
    kept.map(({ transactionId }) => transactionId),
    built.map(({ transactionId }) => transactionId),
    Buffer.concat(built.map(({ bytes }) => bytes)),
    firsts,
    sizes,
    built.map(({ sha256 }) => sha256),
    built.map(({ issuedAt }) => issuedAt),
    call.version,
  ]);
}
