import { isFollowable, type PartialSummary } from '../../authority/wire.js';
import { compareIdentity, explainUnclear } from '../queue/document-identity.js';
import type { UnknownMember } from './reconcile.sql.js';
import type { SearchFindings } from './match-documents.js';

const CONTESTED_NAMED_MAX = 3;

// Reasons in "queue show".
export const MISSING = 'missing from a call that was found';
export const INCONCLUSIVE =
  "a search that misses it proves nothing: a row was unreadable, or the database's and the authority's clocks differed by " +
  'more than a day';
export const DISPUTED = 'the authority has a document that may be this one, and may be another';
export const DUPLICATE = 'the authority rejected it as a duplicate or without a reason, and shows no other copy';

type Findings = SearchFindings<UnknownMember>;

export function describeUndecided({ contested, hidden, disputed }: Findings, submissionId: string): string[] {
  const texts = contested.map(
    ({ member, summary }) => `${describeContested(member, summary)} (submission ${submissionId}): not sent again`,
  );
  if (hidden.length > 0) {
    texts.push(
      `An earlier lookup showed ${listNumbers(hidden)} (submission ${submissionId}), this one does not: not sent again`,
    );
  }
  if (disputed.length > 0) {
    const numbers = listNumbers(disputed);
    texts.push(
      `The authority has ${numbers} (submission ${submissionId}) or the document of another attempt. An operator must decide`,
    );
  }
  return texts;
}

export function explainContested({ contested }: Findings): string {
  const explanations = contested.map(({ member, summary }) => describeContested(member, summary));
  return explanations.slice(0, CONTESTED_NAMED_MAX).join('; ');
}

function listNumbers(members: readonly UnknownMember[]): string {
  return members.map(({ referenceId }) => referenceId).join(', ');
}

function describeContested(member: UnknownMember, summary: PartialSummary): string {
  const uuid = summary.authorityUuid ?? 'an unreadable uuid';
  return `the authority shows ${member.referenceId} under ${uuid}, but ${describeDifference(member, summary)}`;
}

function describeDifference(member: UnknownMember, summary: PartialSummary): string {
  if (compareIdentity(member, summary) === 'unclear') return explainUnclear(member, summary);
  return isFollowable(summary) ? 'another attempt has this uuid' : 'its uuid or its submission cannot be read';
}
