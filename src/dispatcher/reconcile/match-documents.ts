import { type FollowableSummary, isFollowable, type PartialSummary } from '../../authority/wire.js';
import { compareIdentity, type DocumentIdentity, findOriginal } from '../queue/document-identity.js';

type UuidOwners = ReadonlyMap<string, DocumentIdentity & { readonly transactionId: string }>;

export interface UuidOwnership {
  readonly owners: UuidOwners;
  /** Uuids of documents that may belong to another attempt with the same identity. */
  readonly disputed: ReadonlySet<string>;
}

export interface SearchFindings<Member extends DocumentIdentity> {
  readonly found: readonly { readonly member: Member; readonly summary: FollowableSummary }[];
  /** Documents at the authority that are unclear or whose uuid belongs to another attempt. */
  readonly contested: readonly { readonly member: Member; readonly summary: PartialSummary }[];
  /** Documents with a possible copy in an earlier lookup but not in this one. */
  readonly hidden: readonly Member[];
  readonly disputed: readonly Member[];
  readonly missing: readonly Member[];
}

export interface SoughtDocument extends DocumentIdentity {
  readonly transactionId: string;
  readonly invalidUuid: string | null;
}

/**
 * Returns whether a document may be a copy of the sought one. After an invalid copy, only other copies matter. A
 * similar document is not a copy if it has the identity of the attempt that owns its uuid. Pure.
 */
export function isPossibleCopy(member: SoughtDocument, shown: PartialSummary, owners: UuidOwners): boolean {
  const { invalidUuid } = member;
  if (invalidUuid !== null && (shown.status === 'Invalid' || shown.authorityUuid === invalidUuid)) return false;
  const likeness = compareIdentity(member, shown);
  if (likeness !== 'unclear') return likeness === 'same';
  const owner = owners.get(shown.authorityUuid ?? '');
  const isOfOther = owner !== undefined && owner.transactionId !== member.transactionId;
  return !(isOfOther && compareIdentity(owner, shown) === 'same');
}

/** Matches the documents of an unknown call with the documents at the authority. Pure. */
export function matchMembers<Member extends SoughtDocument & { readonly isShown: boolean }>(
  members: readonly Member[],
  shown: readonly PartialSummary[],
  { owners, disputed }: UuidOwnership,
): SearchFindings<Member> {
  const findings = {
    found: [] as { member: Member; summary: FollowableSummary }[],
    contested: [] as { member: Member; summary: PartialSummary }[],
    hidden: [] as Member[],
    disputed: [] as Member[],
    missing: [] as Member[],
  };
  // A row with an unreadable number may be any document.
  const byNumber = new Map<string | null, PartialSummary[]>();
  for (const summary of shown) {
    byNumber.set(summary.referenceId, [...(byNumber.get(summary.referenceId) ?? []), summary]);
  }
  const given = new Set<string>();
  for (const member of members) {
    const arrived = [member.referenceId, null]
      .flatMap((number) => byNumber.get(number) ?? [])
      .filter((summary) => isPossibleCopy(member, summary, owners));
    const free = arrived.filter(isFollowable).filter(({ authorityUuid }) => {
      const owner = owners.get(authorityUuid) ?? member;
      return owner.transactionId === member.transactionId && !given.has(authorityUuid);
    });
    const summary = findOriginal(free.filter((candidate) => compareIdentity(member, candidate) === 'same'));
    if (arrived.length === 0) (member.isShown ? findings.hidden : findings.missing).push(member);
    else if (summary === undefined) findings.contested.push({ member, summary: arrived[0] });
    else if (disputed.has(summary.authorityUuid)) findings.disputed.push(member);
    else {
      given.add(summary.authorityUuid);
      findings.found.push({ member, summary });
    }
  }
  return findings;
}
