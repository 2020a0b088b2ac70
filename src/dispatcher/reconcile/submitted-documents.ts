import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type FollowableSummary, isFollowable, isReadable, type PartialSummary } from '../../authority/wire.js';
import type { Environment } from '../../config/environment.js';
import { readServiceNow } from '../../database/clock.js';
import { AuthorityDocuments, type DocumentQuery, type DocumentSearch } from '../queue/authority-documents.js';
import { readSearchTimes } from '../queue/authority-times.js';
import { compareIdentity, contradictsConfirmed } from '../queue/document-identity.js';
import { findDuplicateOriginal, isDuplicate } from '../queue/duplicates.js';
import { computeSendTimes, isAbsenceProven } from '../queue/lookup-times.js';
import type { UnknownMember, UnknownSubmission } from './reconcile.sql.js';

const RAW_SLOT_WITHIN_MS = 5_000;
const DETAILS_SLOT_WITHIN_MS = 5_000;

/** What the authority has of calls in doubt. */
@Injectable()
export class SubmittedDocuments {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: AuthorityDocuments,
  ) {}

  /** Reserves the slot of a search, before anything is claimed for it. */
  reserve(environment: Environment): ReturnType<AuthorityDocuments['reserveSearch']> {
    return this.documents.reserveSearch(environment);
  }

  /**
   * Lists every document received while these calls may have arrived, page by page. Later documents are left out: after
   * hours without a search, all that was sent meanwhile would be read. A row with neither a number nor a uuid may be any
   * document or none: it is left out, and the search proves no absence.
   * @returns null when a page is unavailable
   */
  async searchAround(
    search: DocumentSearch,
    submissions: readonly UnknownSubmission[],
  ): Promise<{ rows: PartialSummary[]; isConclusive: boolean } | null> {
    const { environment } = search.slot;
    const now = await readServiceNow(this.dataSource.manager);
    const times = submissions.map((submission) => computeSendTimes(submission, now));
    const from = new Date(Math.min(...times.map((each) => each.from.getTime())));
    const to = new Date(Math.max(...times.map((each) => each.to.getTime())));
    const rows = await this.documents.search(
      search,
      await readSearchTimes(this.dataSource.manager, environment, { from, to }),
    );
    if (rows === null || rows === 'too-many') return null;
    // The search itself has measured the authority's clock, so its own window may turn out to be wrong.
    const { isConclusive } = await readSearchTimes(this.dataSource.manager, environment, { from, to });
    const readable = rows.filter(isReadable);
    return { rows: readable, isConclusive: isConclusive && readable.length === rows.length };
  }

  /**
   * Reads the documents that refusals of these attempts name as the earlier ones, and at the lookup that decides the
   * invalid copies. What cannot be read now is left out: the next lookup tries again.
   */
  async readOriginals(
    query: Omit<DocumentQuery, 'slotWithinMs'>,
    submission: UnknownSubmission,
  ): Promise<FollowableSummary[]> {
    const { members } = submission;
    const refused = members.map(({ refusal }) => findRefusedOriginal(refusal));
    const invalid = isAbsenceProven(submission) ? members.map(({ invalidUuid }) => invalidUuid) : [];
    const uuids = new Set([...refused, ...invalid].filter((uuid) => uuid !== null));
    const originals: FollowableSummary[] = [];
    for (const authorityUuid of uuids) {
      const outcome = await this.documents.readDetails(
        { ...query, slotWithinMs: DETAILS_SLOT_WITHIN_MS },
        authorityUuid,
      );
      if (outcome?.kind === 'found' && isFollowable(outcome.document)) originals.push(outcome.document);
    }
    return originals;
  }

  /**
   * Compares the content of documents that would be adopted by attempts that the authority rejected as duplicates: another
   * system may have sent the earlier document. The authority does not return the content of an invalid document, which is
   * adopted by its identity alone.
   * @returns the uuids of documents with other content; null when the authority could not be asked
   */
  async findDisputedUuids(
    query: Omit<DocumentQuery, 'slotWithinMs'>,
    { members, shown }: { members: readonly UnknownMember[]; shown: readonly FollowableSummary[] },
  ): Promise<Set<string> | null> {
    const disputed = new Set<string>();
    for (const member of members.filter((each) => isRefusedAsDuplicate(each.refusal))) {
      const attempt = { tenantId: query.taxpayer.tenantId, transactionId: member.transactionId };
      for (const { authorityUuid, status } of shown.filter((each) => compareIdentity(member, each) === 'same')) {
        if (status === 'Invalid') continue;
        const look = { ...query, slotWithinMs: RAW_SLOT_WITHIN_MS };
        const likeness = await this.documents.compare(look, this.dataSource.manager, { attempt, authorityUuid });
        if (likeness === 'unavailable') return null;
        if (likeness === 'different') disputed.add(authorityUuid);
      }
    }
    return disputed;
  }
}

/** Returns the uuid of the document that a refusal says was accepted before. Pure. */
function findRefusedOriginal(refusal: UnknownMember['refusal']): string | null {
  return findDuplicateOriginal(toFindings(refusal));
}

/** Returns whether a refusal says that the authority already has the document. Pure. */
export function isRefusedAsDuplicate(refusal: UnknownMember['refusal']): boolean {
  return isDuplicate(toFindings(refusal));
}

/**
 * Returns whether the rejection of the only send names a document of another number or type as the earlier one. If the
 * document was sent again, a rejection as a duplicate shows that an earlier send arrived, whatever it names. Pure.
 */
export function isRefusedForOther(member: UnknownMember, originals: readonly FollowableSummary[]): boolean {
  if (member.isSentAgain) return false;
  const uuid = findRefusedOriginal(member.refusal);
  const original = originals.find(({ authorityUuid }) => authorityUuid === uuid);
  return original !== undefined && contradictsConfirmed(member, original);
}

function toFindings(refusal: UnknownMember['refusal']): Parameters<typeof isDuplicate>[0] {
  return (refusal ?? []).map((error) => ({ code: error.authorityCode, message: error.authorityMessage }));
}
