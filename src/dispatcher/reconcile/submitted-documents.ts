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

@Injectable()
export class SubmittedDocuments {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: AuthorityDocuments,
  ) {}

  reserve(environment: Environment): ReturnType<AuthorityDocuments['reserveSearch']> {
    return this.documents.reserveSearch(environment);
  }

  /**
   * Lists the documents received while these calls may have arrived. A wider range would contain too many
   * documents after an outage. A row without a number and a uuid makes the search inconclusive. Returns null if a
   * page is unavailable.
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
    // The search measured the authority's clock again, which may invalidate its own time range.
    const { isConclusive } = await readSearchTimes(this.dataSource.manager, environment, { from, to });
    const readable = rows.filter(isReadable);
    return { rows: readable, isConclusive: isConclusive && readable.length === rows.length };
  }

  /** Reads the earlier documents referenced by refusals, and the invalid copies on the deciding lookup. */
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
   * Returns the uuids of documents with different content, which another system may have sent. Returns null if the
   * authority did not respond.
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
        const rawQuery = { ...query, slotWithinMs: RAW_SLOT_WITHIN_MS };
        const likeness = await this.documents.compare(rawQuery, this.dataSource.manager, { attempt, authorityUuid });
        if (likeness === 'unavailable') return null;
        if (likeness === 'different') disputed.add(authorityUuid);
      }
    }
    return disputed;
  }
}

function findRefusedOriginal(refusal: UnknownMember['refusal']): string | null {
  return findDuplicateOriginal(toFindings(refusal));
}

/** Returns whether a refusal states that the authority already has the document. Pure. */
export function isRefusedAsDuplicate(refusal: UnknownMember['refusal']): boolean {
  return isDuplicate(toFindings(refusal));
}

/** Returns whether the document was sent once and its rejection refers to another document. Pure. */
export function isRefusedForOther(member: UnknownMember, originals: readonly FollowableSummary[]): boolean {
  if (member.isSentAgain) return false;
  const uuid = findRefusedOriginal(member.refusal);
  const original = originals.find(({ authorityUuid }) => authorityUuid === uuid);
  return original !== undefined && contradictsConfirmed(member, original);
}

function toFindings(refusal: UnknownMember['refusal']): Parameters<typeof isDuplicate>[0] {
  return (refusal ?? []).map((error) => ({ code: error.authorityCode, message: error.authorityMessage }));
}
