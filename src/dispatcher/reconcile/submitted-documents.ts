import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuthorityCalls } from '../../authority/authority-calls.js';
import { DIFFERENCE_SECONDS_MAX, readClockDifferencesSince } from '../../authority/authority-clock.js';
import { CallBudget, type CallSlot } from '../../authority/call-budget.js';
import type { Taxpayer } from '../../authority/tokens.js';
import { type FollowableSummary, isFollowable, isReadable, type PartialSummary } from '../../authority/wire.js';
import type { Environment } from '../../config/environment.js';
import { readServiceNow } from '../../database/clock.js';
import { AuthorityDocuments, type DocumentQuery } from '../queue/authority-documents.js';
import { compareIdentity, contradictsConfirmed } from '../queue/document-identity.js';
import { findDuplicateOriginal, isDuplicate } from '../queue/duplicates.js';
import { computeSendTimes, isAbsenceProven } from '../queue/lookup-times.js';
import type { UnknownMember, UnknownSubmission } from './reconcile.sql.js';

interface Search {
  readonly taxpayer: Taxpayer;
  /** For the first page; the others take theirs. */
  readonly slot: CallSlot<'search'>;
  readonly signal: AbortSignal;
  /** Before each page: who looks goes on looking, for so many seconds until the page's slot and then for the call. */
  goOn(slotWaitSeconds: number): Promise<void>;
}

// The authority searches 12 times a minute for everybody, and once in five seconds for one taxpayer.
const SLOT_WITHIN_MS = 10_000;
// Other replicas search in between. What the pages so far have cost is lost without the next one, so it is waited for.
const PAGE_SLOT_WITHIN_MS = 60_000;
const RAW_SLOT_WITHIN_MS = 5_000;
const DETAILS_SLOT_WITHIN_MS = 5_000;
// For a clock that has moved since the last response showed it.
const CLOCK_MARGIN_MS = 5 * 60_000;
// A window of this length before and after the send stays below the 31 days that a search may span.
const WIDENED_SECONDS_MAX = 14 * 86_400;
// The authority lists at most 10,000 documents.
const PAGES_MAX = 100;

interface AuthorityTimes {
  readonly submittedFrom: Date;
  readonly submittedTo: Date;
  /** False if the clocks differed by more than a day: a document that a search misses may still have arrived. */
  readonly isConclusive: boolean;
}

/** What the authority has received of a taxpayer. */
@Injectable()
export class SubmittedDocuments {
  constructor(
    private readonly dataSource: DataSource,
    private readonly budget: CallBudget,
    private readonly authority: AuthorityCalls,
    private readonly documents: AuthorityDocuments,
  ) {}

  /** The right to begin a search; taken before anything is claimed for it. */
  reserve(environment: Environment): Promise<CallSlot<'search'> | null> {
    return this.budget.reserve(environment, 'search', SLOT_WITHIN_MS);
  }

  /**
   * Lists every document received while these calls may have arrived, page by page. Later documents are left out: after
   * hours without a search, all that was sent meanwhile would be read. A row with neither a number nor a uuid may be any
   * document or none: it is left out, and the search proves no absence.
   * @returns null when a page is unavailable
   */
  async searchAround(
    search: Search,
    submissions: readonly UnknownSubmission[],
  ): Promise<{ rows: PartialSummary[]; isConclusive: boolean } | null> {
    const { environment } = search.slot;
    const now = await readServiceNow(this.dataSource.manager);
    const times = submissions.map((submission) => computeSendTimes(submission, now));
    const from = new Date(Math.min(...times.map((each) => each.from.getTime())));
    const to = new Date(Math.max(...times.map((each) => each.to.getTime())));
    const rows = await this.searchBetween(search, await this.toAuthorityTimes(environment, { from, to }));
    if (rows === null || rows === 'too-many') return null;
    // The search itself has measured the authority's clock, so its own window may turn out to be wrong.
    const { isConclusive } = await this.toAuthorityTimes(environment, { from, to });
    const readable = rows.filter(isReadable);
    return { rows: readable, isConclusive: isConclusive && readable.length === rows.length };
  }

  /** Computes the authority's time of what was sent between two instants of the database's clock. */
  async toAuthorityTimes(environment: Environment, { from, to }: { from: Date; to: Date }): Promise<AuthorityTimes> {
    const { leastSeconds, greatestSeconds } = await readClockDifferencesSince(
      this.dataSource.manager,
      environment,
      from,
    );
    const earlier = Math.max(leastSeconds, -WIDENED_SECONDS_MAX);
    const later = Math.min(greatestSeconds, WIDENED_SECONDS_MAX);
    return {
      submittedFrom: new Date(from.getTime() + earlier * 1_000 - CLOCK_MARGIN_MS),
      submittedTo: new Date(to.getTime() + later * 1_000 + CLOCK_MARGIN_MS),
      isConclusive: Math.max(-leastSeconds, greatestSeconds) <= DIFFERENCE_SECONDS_MAX,
    };
  }

  /**
   * Every document received in a window of at most 31 days, page by page.
   * @returns null when a page cannot be had; `too-many` when the authority would not list them all
   */
  async searchBetween(
    search: Search,
    window: { submittedFrom: Date; submittedTo: Date },
  ): Promise<PartialSummary[] | 'too-many' | null> {
    const rows: PartialSummary[] = [];
    for (let page = 1; page <= PAGES_MAX; page += 1) {
      const { environment } = search.slot;
      const slot = page === 1 ? search.slot : await this.budget.reserve(environment, 'search', PAGE_SLOT_WITHIN_MS);
      if (slot === null) return null;
      await search.goOn(slot.waitMs / 1_000);
      const outcome = await this.authority.search({ ...search, slot }, { ...window, page });
      if (outcome.kind !== 'page') return null;
      if (outcome.totalPages > PAGES_MAX) return 'too-many';
      rows.push(...outcome.rows);
      if (page >= outcome.totalPages) return rows;
    }
    return null;
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
