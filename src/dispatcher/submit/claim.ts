import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { Signer } from '../../common/signing/signer.js';
import type { Environment } from '../../config/environment.js';
import type { AuthorityVersion } from '../../documents/authority-document.js';
import { readRepresentedTin } from '../../documents/identity.js';
import { computeOldestIssueTime } from '../../documents/issue-time.js';
import type { Supplier } from '../../documents/simplified-document.js';
import type { DocumentTransaction } from '../../entities/document-transaction.entity.js';
import { IS_FOUND_AT_AUTHORITY } from '../../recovery/waits.sql.js';
import type { CallMember, ClaimedSubmission, LoginNeeded } from '../queue/claimed-submission.js';
import { changeStatuses, type StatusChange } from '../queue/status-changes.js';
import { buildFloorSql, type TenantQueue, MARK_SERVED, claimTenantQueue } from '../queue/tenant-queues.js';
import { buildMember, type BuildContext, identityKey, type UnbuiltTransaction, chooseVersion } from './build-member.js';

export const CALL_DOCUMENTS_MAX = 100;
// The authority accepts 5 MB. The 5 % margin covers bytes that it may count differently.
const CALL_BYTES_MAX = 4_750_000;

// Selects the oldest documents that fit into one call with the oldest one: those of the same taxpayer, because the
// login represents it, up to the number that the oldest document allows. A document that needs a smaller call waits
// until it is the oldest. A number occurs only once in a call, because the authority's response refers to documents by
// number. At most two documents of a tenant share a number, so twice the limit of candidates fills a call. due_at has
// no upper bound, because the planner would expect few rows and sort the whole queue. Bytes are kept if they may have
// arrived, or if they are newer than $5 and, when signed ($6), newer than the appointment. They are read as text
// because hexadecimal is twice as long. Ids in an array and OFFSET 0 prevent joins, which would read whole tables if
// they were planned for empty ones.
const SELECT_QUEUED = /* sql */ `
  WITH candidate AS MATERIALIZED (
    SELECT id, due_at, reference_id, wire_bytes_max, call_size_max, on_behalf_of FROM document_transaction t
     WHERE tenant_id = $1 AND environment = $2 AND submission_status = 'Queued' AND held_until IS NULL
       AND NOT ${IS_FOUND_AT_AUTHORITY}
       AND due_at >= (SELECT ${buildFloorSql('q')} FROM tenant_queue q
                       WHERE q.tenant_id = $1 AND q.environment = $2 AND q.operation = 'submit')
     ORDER BY due_at, id LIMIT ${2 * CALL_DOCUMENTS_MAX}),
  served AS (${MARK_SERVED}),
  numbered AS (
    SELECT id, due_at, reference_id, wire_bytes_max, call_size_max, on_behalf_of,
           row_number() OVER (PARTITION BY on_behalf_of, reference_id ORDER BY due_at, id) AS nth_of_number,
           first_value(call_size_max) OVER (ORDER BY due_at, id) AS size_max,
           first_value(on_behalf_of) OVER (ORDER BY due_at, id) AS represented
      FROM candidate WHERE due_at <= $3),
  ranked AS (
    SELECT id, size_max, represented, row_number() OVER in_order AS nth_of_call, sum(wire_bytes_max) OVER in_order AS bytes
      FROM numbered WHERE nth_of_number = 1 AND call_size_max >= size_max AND on_behalf_of = represented
    WINDOW in_order AS (ORDER BY due_at, id)),
  appointment AS (
    SELECT min(coalesce(k.appointed_since, k.logged_in_at)) AS since FROM authority_token k
     WHERE $6 AND k.tenant_id = $1 AND k.environment = $2
       AND split_part(k.on_behalf_of, ':', 1) = split_part((SELECT represented FROM ranked LIMIT 1), ':', 1))
  SELECT t.id, t.document_type AS "documentType", t.reference_id AS "referenceId", t.refusals,
         t.created_at AS "acceptedAt", t.due_at AS "dueAt",
         t.on_behalf_of AS "onBehalfOf", t.submission_batch_id AS "submissionBatchId",
         CASE WHEN a.sha256 IS NULL THEN t.payload END AS payload,
         t.attempt, t.parent_authority_uuid AS "parentAuthorityUuid",
         (SELECT b.traceparent FROM submission_batch b WHERE b.tenant_id = $1 AND b.id = t.submission_batch_id)
           AS traceparent,
         convert_from(a.bytes, 'UTF8') AS text, a.sha256, a.issued_at AS "issuedAt", a.response_lost AS "isResponseLost",
         (SELECT since FROM appointment) AS "appointedSince"
    FROM document_transaction t
    LEFT JOIN LATERAL (
      SELECT bytes, sha256, issued_at, response_lost FROM authority_document
       WHERE tenant_id = $1 AND transaction_id = t.id AND (may_have_arrived
              OR issued_at >= greatest($5, (SELECT since FROM appointment))) OFFSET 0) a ON true
   WHERE t.tenant_id = $1 AND t.submission_status = 'Queued'
     AND t.id = ANY (ARRAY(
       SELECT id FROM ranked WHERE nth_of_call <= least(size_max, $4) AND (bytes <= ${CALL_BYTES_MAX} OR nth_of_call = 1)))
   ORDER BY t.id FOR UPDATE OF t SKIP LOCKED`;

interface QueuedIdentity extends Pick<
  DocumentTransaction,
  'id' | 'documentType' | 'referenceId' | 'refusals' | 'onBehalfOf' | 'dueAt'
> {
  appointedSince: Date | null;
  acceptedAt: Date;
  traceparent: string | null;
}

interface BuiltTransaction extends QueuedIdentity {
  text: string;
  sha256: string;
  issuedAt: Date;
  isResponseLost: boolean;
}

type QueuedTransaction = BuiltTransaction | (QueuedIdentity & UnbuiltTransaction & { sha256: null });

// $4 and $5 are in the same order.
const READ_FOR_BUILDING = /* sql */ `
  SELECT (SELECT jsonb_object_agg(b.id, b.supplier) FROM submission_batch b
           WHERE b.tenant_id = $1 AND b.id = ANY ($6::uuid[])) AS suppliers,
         (SELECT jsonb_agg(jsonb_build_array(i.document_type, i.reference_id, extract(epoch FROM i.issued_at)))
            FROM taken_instants($2, $3, $4, $5) i) AS taken`;

interface ReadForBuilding {
  suppliers: Record<string, Supplier> | null;
  /** Type, number and Unix time in seconds. */
  taken: [string, string, number][] | null;
}

// Stores the call and its bytes. The bytes stay unchanged until it is certain that the send did not arrive
// (docs/rules.md#issue-time), so that a crash loses nothing. The new bytes are a single parameter because an array
// would be encoded in hexadecimal. $7 documents with kept bytes; $8 and later the others.
const STORE_CALL = /* sql */ `
  WITH kept AS (
    UPDATE authority_document SET may_have_arrived = true, refused_at = NULL, refusal = NULL
     WHERE tenant_id = $1 AND transaction_id = ANY ($7::uuid[]) AND NOT may_have_arrived),
  stored AS (
    INSERT INTO authority_document
      (tenant_id, transaction_id, bytes, sha256, issued_at, version, may_have_arrived, created_at,
       environment, supplier_tin, document_type, reference_id)
    SELECT $1, d.transaction_id, substr($9::bytea, d.first_byte, d.byte_count), d.sha256, d.issued_at, $14, true, $5,
           $3, $15, d.document_type, d.reference_id
      FROM unnest($8::uuid[], $10::integer[], $11::integer[], $12::text[], $13::timestamptz[], $16::text[], $17::text[])
        AS d (transaction_id, first_byte, byte_count, sha256, issued_at, document_type, reference_id)
    ON CONFLICT (tenant_id, transaction_id) DO UPDATE
       SET bytes = excluded.bytes, sha256 = excluded.sha256, issued_at = excluded.issued_at, version = excluded.version,
           may_have_arrived = true, created_at = excluded.created_at, refused_at = NULL, refusal = NULL
     WHERE NOT authority_document.may_have_arrived)
  INSERT INTO authority_submission
    (tenant_id, id, environment, client_id, state, owner, lease_until, sent_at, sends, created_at, updated_at)
  VALUES ($1, $2, $3, $18, 'sending', $4, $5::timestamptz + make_interval(secs => $6), $5, 1, $5, $5)`;

export interface ClaimRequest {
  readonly environment: Environment;
  readonly clientId: string;
  readonly owner: string;
  readonly leaseSeconds: number;
  readonly documentsMax: number;
  readonly signer: Signer | null;
}

/**
 * Claims the oldest documents of a tenant queue, builds missing bytes and stores the call. Returns a tenant queue
 * instead if its signed documents need a login first.
 * @throws SigningError
 */
export async function claimSubmission(
  tx: EntityManager,
  request: ClaimRequest,
): Promise<ClaimedSubmission | LoginNeeded | null> {
  const taken = await claimTenantQueue(tx, request.environment);
  if (taken === null) return null;
  const { tenantQueue, now } = taken;
  const queued = await tx.query<QueuedTransaction[]>(SELECT_QUEUED, [
    tenantQueue.tenantId,
    tenantQueue.environment,
    now,
    request.documentsMax,
    computeOldestIssueTime(now),
    request.signer !== null,
  ]);
  if (queued.length === 0) return null;
  const [{ onBehalfOf, appointedSince }] = queued;
  const taxpayer = { tenantId: tenantQueue.tenantId, onBehalfOf };
  if (request.signer !== null && appointedSince === null) return { ...tenantQueue, taxpayer };
  const submissionId = uuidv7();
  const call = { ...tenantQueue, ...request, submissionId, onBehalfOf, appointedSince, now };
  const context = await readBuildContext(
    tx,
    call,
    queued.filter((transaction) => !isBuilt(transaction)),
  );
  const results = queued.map((transaction) =>
    isBuilt(transaction) ? toKeptMember(transaction) : buildMember(transaction, context),
  );
  const members = results.filter((result) => 'bytes' in result);
  const failed = results.filter((result) => 'to' in result);
  const keptIds = new Set(queued.filter((transaction) => isBuilt(transaction)).map(({ id }) => id));
  if (members.length > 0) await storeCall(tx, call, { members, keptIds });
  const claimed = members.map(({ transactionId, issuedAt }): StatusChange => ({
    transactionId,
    to: 'processing',
    cause: 'claimed',
    facts: { authoritySubmissionId: submissionId, issuedAt },
  }));
  await changeStatuses(tx, { tenantId: tenantQueue.tenantId, now }, [...claimed, ...failed]);
  if (members.length === 0) return null;
  const claimedIds = new Set(members.map(({ transactionId }) => transactionId));
  const waits = queued
    .filter(({ id }) => claimedIds.has(id))
    .map(({ acceptedAt, dueAt }) => ({
      sinceAccept: secondsBetween(acceptedAt, now),
      sinceTurn: secondsBetween(dueAt, now),
    }));
  return { ...tenantQueue, submissionId, owner: request.owner, taxpayer, earlierSends: 0, members, waits };
}

function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, to.getTime() - from.getTime()) / 1_000;
}

interface CallToStore extends TenantQueue, ClaimRequest {
  readonly submissionId: string;
  readonly onBehalfOf: string;
  readonly appointedSince: Date | null;
  readonly now: Date;
}

function isBuilt(queued: QueuedTransaction): queued is BuiltTransaction {
  return queued.sha256 !== null;
}

function toKeptMember({ id: transactionId, text, ...built }: BuiltTransaction): CallMember {
  const { documentType, referenceId, refusals, sha256, issuedAt, traceparent, isResponseLost } = built;
  const bytes = Buffer.from(text);
  return { transactionId, documentType, referenceId, refusals, bytes, sha256, issuedAt, traceparent, isResponseLost };
}

async function readBuildContext(
  tx: EntityManager,
  { tenantId, environment, onBehalfOf, signer, appointedSince, now }: CallToStore,
  unbuilt: readonly UnbuiltTransaction[],
): Promise<BuildContext> {
  if (unbuilt.length === 0) return { suppliers: {}, taken: new Map(), signer, appointedSince, now };
  const [{ suppliers, taken }] = await tx.query<ReadForBuilding[]>(READ_FOR_BUILDING, [
    tenantId,
    environment,
    readRepresentedTin(onBehalfOf),
    unbuilt.map(({ documentType }) => documentType),
    unbuilt.map(({ referenceId }) => referenceId),
    [...new Set(unbuilt.map(({ submissionBatchId }) => submissionBatchId))],
  ]);
  const instants = new Map<string, Date[]>();
  for (const [documentType, referenceId, seconds] of taken ?? []) {
    const key = identityKey(documentType, referenceId);
    instants.set(key, [...(instants.get(key) ?? []), new Date(seconds * 1_000)]);
  }
  return { suppliers: suppliers ?? {}, taken: instants, signer, appointedSince, now };
}

async function storeCall(
  tx: EntityManager,
  call: CallToStore,
  { members, keptIds }: { members: readonly CallMember[]; keptIds: ReadonlySet<string> },
): Promise<void> {
  const built = members.filter(({ transactionId }) => !keptIds.has(transactionId));
  const sizes = built.map(({ bytes }) => bytes.length);
  const version: AuthorityVersion = chooseVersion(call.signer);
  let next = 1;
  const firsts = sizes.map((size) => (next += size) - size);
  await tx.query(STORE_CALL, [
    call.tenantId,
    call.submissionId,
    call.environment,
    call.owner,
    call.now,
    call.leaseSeconds,
    [...keptIds],
    built.map(({ transactionId }) => transactionId),
    Buffer.concat(built.map(({ bytes }) => bytes)),
    firsts,
    sizes,
    built.map(({ sha256 }) => sha256),
    built.map(({ issuedAt }) => issuedAt),
    version,
    readRepresentedTin(call.onBehalfOf),
    built.map(({ documentType }) => documentType),
    built.map(({ referenceId }) => referenceId),
    call.clientId,
  ]);
}
