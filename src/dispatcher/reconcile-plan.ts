import type { DocumentSummary } from '../authority/wire.js';
import { documentTypeNamed } from '../documents/document-types.js';
import type { DocumentType } from '../documents/simplified-document.js';
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
  /**
   * Never sent again: the authority has them under a uuid that another attempt was given for its own, or it has a
   * document of their number and instant whose type name is not known, which may be theirs.
   */
  readonly contested: readonly CallMember[];
  readonly missing: readonly CallMember[];
}

/**
 * Which documents of an unknown call the authority has: those with the same number and the same instant of issue, which
 * no two attempts of a document share. Pure.
 * @param heldUuids those that other attempts hold; they cannot be adopted
 */
export function findMembers(
  members: readonly CallMember[],
  shown: readonly DocumentSummary[],
  heldUuids: ReadonlySet<string>,
): SearchFindings {
  const byIdentity = new Map<string, DocumentSummary>();
  const arrived = new Set<string>();
  for (const summary of shown) {
    if (summary.issuedAt === null) continue;
    const identity = identityOf(summary.referenceId, summary.issuedAt, documentTypeNamed(summary.typeName));
    arrived.add(identity);
    if (!heldUuids.has(summary.authorityUuid)) byIdentity.set(identity, summary);
  }
  const found: { member: CallMember; summary: DocumentSummary }[] = [];
  const contested: CallMember[] = [];
  const missing: CallMember[] = [];
  for (const member of members) {
    const identity = identityOf(member.referenceId, member.issuedAt, member.documentType);
    const summary = byIdentity.get(identity);
    if (summary !== undefined) found.push({ member, summary });
    else (arrived.has(identity) || arrived.has(untyped(member)) ? contested : missing).push(member);
  }
  return { found, contested, missing };
}

/** Whether the authority's document is this one: number, type and instant of issue. Pure. */
export function isSameDocument(
  member: Pick<CallMember, 'referenceId' | 'documentType' | 'issuedAt'>,
  summary: DocumentSummary,
): boolean {
  if (summary.issuedAt === null) return false;
  const shown = identityOf(summary.referenceId, summary.issuedAt, documentTypeNamed(summary.typeName));
  return shown === identityOf(member.referenceId, member.issuedAt, member.documentType);
}

/**
 * Whether what the authority shows under an attempt's uuid is that attempt: the same number, and the same type where it
 * names one. A name that is not known is not ours yet: nothing is written, and the next poll asks again. Pure.
 */
export function isUnderItsNumber(
  member: { readonly referenceId: string; readonly documentType: string },
  summary: DocumentSummary,
): boolean {
  if (summary.referenceId !== member.referenceId) return false;
  return summary.typeName === null || documentTypeNamed(summary.typeName) === member.documentType;
}

function untyped({ referenceId, issuedAt }: CallMember): string {
  return identityOf(referenceId, issuedAt, null);
}

/** @param documentType null: the authority's name for it is not known */
function identityOf(referenceId: string, issuedAt: Date, documentType: DocumentType | null): string {
  return `${documentType ?? ''}/${Math.floor(issuedAt.getTime() / 1_000)}/${referenceId}`;
}
