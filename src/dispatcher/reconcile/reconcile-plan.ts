import type { DocumentSummary } from '../../authority/wire.js';
import { compareIdentity, type DocumentIdentity } from '../document-identity.js';

/** Two hours after the first send the authority would take the same document a second time; sending ends well before. */
export const RESEND_MINUTES_MAX = 100;
/** The authority's search shows a document minutes after it was taken: from the first send on, looking goes on for these. */
const LOOKUP_MINUTES_MAX = 115;

export function isTooLateToResend(sentAt: Date, now: Date): boolean {
  return computeMinutes(sentAt, now) > RESEND_MINUTES_MAX;
}

/** Whether looking has ended as well, and a person decides. */
export function isTooLateToLookUp(sentAt: Date, now: Date): boolean {
  return computeMinutes(sentAt, now) > LOOKUP_MINUTES_MAX;
}

/** A lookup that is later than this is made by no dispatcher. */
const LATE_LOOKUP_MINUTES = 5;

/** Whether no dispatcher looks the call up, and lookups would have ended by now: an operator may decide it. */
export function hasNoLookups({ nextLookAt, sentAt }: { nextLookAt: Date; sentAt: Date }, now: Date): boolean {
  return isTooLateToLookUp(sentAt, now) && computeMinutes(nextLookAt, now) > LATE_LOOKUP_MINUTES;
}

function computeMinutes(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / 60_000;
}

/** What is known of the authority's documents in addition to what a search shows of them. */
export interface KnownUuids {
  /** Those that attempts of any tenant have, with the ids of the attempts. */
  readonly owned: ReadonlyMap<string, string>;
  /**
   * Those of which it could not be shown that they are the attempt's, which has its identity in common with another.
   */
  readonly disputed: ReadonlySet<string>;
}

export interface SearchFindings<Member extends DocumentIdentity> {
  readonly found: readonly { readonly member: Member; readonly summary: DocumentSummary }[];
  /**
   * The authority has them, under a uuid that another attempt was given, or in words that cannot be read: they did
   * arrive.
   */
  readonly contested: readonly { readonly member: Member; readonly summary: DocumentSummary }[];
  /** The authority has a document of this identity, and whose it is only a person can tell. */
  readonly disputed: readonly Member[];
  readonly missing: readonly Member[];
}

/** Which documents of an unknown call the authority has. Pure. */
export function findMembers<Member extends DocumentIdentity & { readonly transactionId: string }>(
  members: readonly Member[],
  shown: readonly DocumentSummary[],
  { owned, disputed }: KnownUuids,
): SearchFindings<Member> {
  const findings = {
    found: [] as { member: Member; summary: DocumentSummary }[],
    contested: [] as { member: Member; summary: DocumentSummary }[],
    disputed: [] as Member[],
    missing: [] as Member[],
  };
  const byNumber = new Map<string, DocumentSummary[]>();
  for (const summary of shown) {
    byNumber.set(summary.referenceId, [...(byNumber.get(summary.referenceId) ?? []), summary]);
  }
  const given = new Set<string>();
  for (const member of members) {
    const arrived = (byNumber.get(member.referenceId) ?? []).filter(
      (summary) => compareIdentity(member, summary) !== 'different',
    );
    const free = arrived.filter(({ authorityUuid }) => {
      const holder = owned.get(authorityUuid) ?? member.transactionId;
      return holder === member.transactionId && !given.has(authorityUuid);
    });
    const summary = findOriginal(free.filter((candidate) => compareIdentity(member, candidate) === 'same'));
    if (arrived.length === 0) findings.missing.push(member);
    else if (summary === undefined) findings.contested.push({ member, summary: arrived[0] });
    else if (disputed.has(summary.authorityUuid)) findings.disputed.push(member);
    else {
      given.add(summary.authorityUuid);
      findings.found.push({ member, summary });
    }
  }
  return findings;
}

/**
 * Of documents of one identity, the one that counts: a repetition is invalid, and the authority lists the newest first.
 */
export function findOriginal(summaries: readonly DocumentSummary[]): DocumentSummary | undefined {
  return summaries.findLast(({ status }) => status !== 'Invalid') ?? summaries.at(-1);
}
