import type { DocumentSummary } from '../authority/wire.js';
import type { CallMember } from './claim.js';

/**
 * Two hours after a send the authority would take the same document a second time; well before that, looking and
 * sending end, and a person decides.
 */
const DOUBT_MINUTES_MAX = 100;

export function isTooLateToResend(sentAt: Date, now: Date): boolean {
  return now.getTime() - sentAt.getTime() > DOUBT_MINUTES_MAX * 60_000;
}

export interface SearchFindings {
  readonly found: readonly { readonly member: CallMember; readonly summary: DocumentSummary }[];
  readonly missing: readonly CallMember[];
}

/**
 * Which documents of an unknown call the authority has: those with the same number and the same instant of issue, which
 * no two attempts of a document share, and a uuid that no other attempt holds. Pure.
 */
export function findMembers(
  members: readonly CallMember[],
  shown: readonly DocumentSummary[],
  heldUuids: ReadonlySet<string>,
): SearchFindings {
  const byIdentity = new Map<string, DocumentSummary>();
  for (const summary of shown) {
    if (heldUuids.has(summary.authorityUuid) || summary.issuedAt === null) continue;
    byIdentity.set(identityOf(summary.referenceId, summary.issuedAt, typeOf(summary)), summary);
  }
  const found: { member: CallMember; summary: DocumentSummary }[] = [];
  const missing: CallMember[] = [];
  for (const member of members) {
    const summary = byIdentity.get(identityOf(member.referenceId, member.issuedAt, member.documentType));
    if (summary === undefined) missing.push(member);
    else found.push({ member, summary });
  }
  return { found, missing };
}

/** Whether the authority's document is this one: number, type and instant of issue. Pure. */
export function isSameDocument(
  member: Pick<CallMember, 'referenceId' | 'documentType' | 'issuedAt'>,
  summary: DocumentSummary,
): boolean {
  if (summary.issuedAt === null) return false;
  const shown = identityOf(summary.referenceId, summary.issuedAt, typeOf(summary));
  return shown === identityOf(member.referenceId, member.issuedAt, member.documentType);
}

function identityOf(referenceId: string, issuedAt: Date, documentType: string): string {
  return `${documentType}/${Math.floor(issuedAt.getTime() / 1_000)}/${referenceId}`;
}

// The authority words the type in different spellings; every one for a credit note names it as credit.
function typeOf({ typeName }: DocumentSummary): string {
  return /credit/i.test(typeName ?? '') ? 'credit_note' : 'invoice';
}
