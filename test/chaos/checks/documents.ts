import type { DocumentType, SentDocument } from '../load/history.js';
import type { DocumentContent, Finding, TenantEvidence, TransactionRow, WireDocument } from './evidence.js';
import { countBy, groupBy } from './group.js';

const TYPE_CODES: Readonly<Record<DocumentType, string>> = { invoice: '01', credit_note: '02' };

/** Check 1: acknowledged documents are stored with the acknowledged ids and order. */
export function findLost({ tenantId, history, batches, transactions }: TenantEvidence): Finding[] {
  const findings: Finding[] = [];
  const known = new Map(batches.map((batch) => [batch.id, batch]));
  const byBatch = groupBy(transactions, ({ submissionBatchId }) => submissionBatchId);
  for (const entry of history) {
    if (entry.kind !== 'submit' || entry.accepted === null) continue;
    const { submissionBatchId, documents } = entry.accepted;
    const ids = { tenantId, key: entry.key, submissionBatchId };
    const stored = [...(byBatch.get(submissionBatchId) ?? [])].sort((a, b) => a.position - b.position);
    if (known.get(submissionBatchId)?.documentCount !== entry.documents.length) {
      findings.push({ check: 'lost', what: 'an acknowledged batch is not stored whole', ids });
      continue;
    }
    entry.documents.forEach((sent, index) => {
      const told = documents[index];
      const row = stored.at(index);
      const isThere =
        row !== undefined &&
        row.documentId === told?.documentId &&
        [told.documentType, row.documentType].every((type) => type === sent.documentType) &&
        [told.referenceId, row.referenceId].every((reference) => reference === sent.referenceId);
      if (isThere) return;
      const what = 'an acknowledged document is not stored as the client was told';
      findings.push({ check: 'lost', what, ids: { ...ids, referenceId: sent.referenceId } });
    });
  }
  return findings;
}

/** Reverse of check 1: every stored batch was acknowledged, because clients retry until they get a response. */
export function findUnasked({ tenantId, history, batches, cancellations }: TenantEvidence): Finding[] {
  const told = new Set<string>();
  for (const entry of history) {
    if (entry.kind === 'submit' && entry.accepted !== null) told.add(entry.accepted.submissionBatchId);
    if (entry.kind === 'cancel' && entry.accepted !== null) told.add(entry.accepted.transactionId);
  }
  return [...batches, ...cancellations]
    .filter(({ id }) => !told.has(id))
    .map(({ id }) => ({ check: 'unasked', what: 'stored, and no client was told', ids: { tenantId, id } }));
}

/** Check 3: the authority accepted no attempt twice, by raw bytes or by document number. */
export function findDuplicated({ tenantId, transactions, wire }: TenantEvidence): Finding[] {
  const findings: Finding[] = [];
  const bySha256 = groupBy(wire, ({ sha256 }) => sha256);
  for (const [sha256, accepted] of bySha256) {
    if (accepted.length === 1) continue;
    const ids = { tenantId, number: accepted[0].number, sha256, times: accepted.length };
    findings.push({ check: 'duplicated', what: 'the same bytes were accepted more than once', ids });
  }
  // Different bytes for the same attempt are a duplicate too.
  const attempts = countBy(transactions, (row) =>
    toDocumentKey(TYPE_CODES[row.documentType as DocumentType], row.referenceId),
  );
  const different = groupBy(
    [...bySha256.values()].map(([first]) => first),
    ({ type, number }) => toDocumentKey(type, number),
  );
  for (const [identity, accepted] of different) {
    const allowed = attempts.get(identity) ?? 0;
    if (accepted.length <= allowed) continue;
    const ids = { tenantId, number: accepted[0].number, accepted: accepted.length, attempts: allowed };
    findings.push({ check: 'duplicated', what: 'more documents were accepted than there were attempts', ids });
  }
  return findings;
}

/** Check 4: bytes and status at the authority match the database, and the content matches the client's request. */
export function findContentOff(evidence: TenantEvidence): Finding[] {
  return [...findOtherAtAuthority(evidence), ...findNotOwned(evidence), ...findOtherContent(evidence)];
}

function findOtherAtAuthority({ tenantId, transactions, wire, statusByUuid }: TenantEvidence): Finding[] {
  const byUuid = new Map(wire.map((document) => [document.uuid, document]));
  const holders = new Set<string>();
  return transactions.flatMap((row): Finding[] => {
    const { authorityUuid, authorityStatus, id: transactionId, referenceId } = row;
    if (authorityUuid === null) return [];
    const problems = [problemAtAuthority(row, byUuid.get(authorityUuid))];
    const theirs = statusByUuid.get(authorityUuid) ?? null;
    if (theirs !== authorityStatus) problems.push(`the authority says ${theirs}, we say ${authorityStatus}`);
    if (holders.has(authorityUuid)) problems.push('two attempts hold one document of the authority');
    holders.add(authorityUuid);
    const ids = { tenantId, transactionId, referenceId, authorityUuid };
    return problems.flatMap((what) => (what === null ? [] : [{ check: 'content_off', what, ids }]));
  });
}

function problemAtAuthority(row: TransactionRow, accepted: WireDocument | undefined): string | null {
  if (accepted === undefined) return 'the authority never accepted what is held as accepted';
  return accepted.sha256 === row.sha256 ? null : 'other bytes were accepted than are stored';
}

/** Finds documents of the authority that the service does not know. */
function findNotOwned({ tenantId, transactions, wire }: TenantEvidence): Finding[] {
  const known = new Set(transactions.map(({ sha256 }) => sha256));
  const held = new Set(transactions.map(({ authorityUuid }) => authorityUuid));
  const countBySha256 = countBy(wire, ({ sha256 }) => sha256);
  return wire.flatMap(({ sha256, uuid, number }): Finding[] => {
    const ids = { tenantId, uuid, number };
    if (!known.has(sha256)) return [{ check: 'content_off', what: 'bytes were accepted that are not stored', ids }];
    // findDuplicated() reports equal bytes.
    if (held.has(uuid) || (countBySha256.get(sha256) ?? 0) > 1) return [];
    return [{ check: 'content_off', what: 'accepted, and no attempt holds it', ids }];
  });
}

function findOtherContent({ tenantId, history, transactions }: TenantEvidence): Finding[] {
  const findings: Finding[] = [];
  const rows = new Map(
    transactions.map((row) => [`${row.submissionBatchId}/${row.documentType}/${row.referenceId}`, row]),
  );
  for (const entry of history) {
    if (entry.kind !== 'submit' || entry.accepted === null) continue;
    for (const sent of entry.documents) {
      const row = rows.get(`${entry.accepted.submissionBatchId}/${sent.documentType}/${sent.referenceId}`);
      if (row === undefined || row.content === null || matchesSent(row.content, sent)) continue;
      const ids = { tenantId, transactionId: row.id, referenceId: row.referenceId };
      findings.push({ check: 'content_off', what: 'the document does not say what the client sent', ids });
    }
  }
  return findings;
}

function matchesSent(content: DocumentContent, sent: SentDocument): boolean {
  return (
    content.type === TYPE_CODES[sent.documentType] &&
    content.number === sent.referenceId &&
    content.payableSen === sent.payableSen &&
    content.lines === sent.lines &&
    content.buyer === sent.buyer
  );
}

function toDocumentKey(type: string, number: string): string {
  return `${type} ${number}`;
}
