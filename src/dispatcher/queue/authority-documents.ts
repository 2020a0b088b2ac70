import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuthorityCalls } from '../../authority/authority-calls.js';
import { CallBudget, type CallSlot } from '../../authority/call-budget.js';
import { toNoResponse } from '../../authority/classify.js';
import type { DetailsOutcome, Traced } from '../../authority/outcomes.js';
import type { Taxpayer } from '../../authority/tokens.js';
import type { PartialSummary } from '../../authority/wire.js';
import type { Environment } from '../../config/environment.js';
import { type AttemptKey, isBuiltAs } from './identity.sql.js';

export interface DocumentQuery {
  readonly environment: Environment;
  readonly taxpayer: Taxpayer;
  readonly slotWithinMs: number;
  readonly signal?: AbortSignal;
}

export interface DocumentSearch {
  readonly taxpayer: Taxpayer;
  readonly slot: CallSlot<'search'>;
  readonly signal: AbortSignal;
  /** Called before each page with the seconds until its slot, so that the caller can extend leases. */
  beforePage(slotWaitSeconds: number): Promise<void>;
}

// The authority allows 12 searches per minute, and each taxpayer one search per five seconds.
const SEARCH_SLOT_WITHIN_MS = 10_000;
// Allows for searches by other replicas. If a page failed, the whole search would start again.
const PAGE_SLOT_WITHIN_MS = 60_000;
const PAGES_MAX = 100;

@Injectable()
export class AuthorityDocuments {
  constructor(
    private readonly budget: CallBudget,
    private readonly authority: AuthorityCalls,
  ) {}

  /**
   * Reads the details of a document. Treats a response with another uuid as unavailable. Returns null without a slot.
   */
  async readDetails(query: DocumentQuery, authorityUuid: string): Promise<Traced<DetailsOutcome> | null> {
    const slot = await this.budget.reserve(query.environment, 'details', query.slotWithinMs);
    if (slot === null) return null;
    const outcome = await this.authority.details({ ...query, slot }, authorityUuid);
    if (outcome.kind !== 'found' || outcome.document.authorityUuid === authorityUuid) return outcome;
    const reason = `the authority responded with the details of ${outcome.document.authorityUuid}`;
    return { ...toNoResponse(reason), correlationId: outcome.correlationId };
  }

  /**
   * Compares the authority's document with the stored one as JSON. Ignores the order of members and compares decimals
   * by value.
   */
  async compare(
    query: DocumentQuery,
    tx: EntityManager,
    { attempt, authorityUuid }: { attempt: AttemptKey; authorityUuid: string },
  ): Promise<'same' | 'different' | 'unavailable'> {
    const slot = await this.budget.reserve(query.environment, 'raw', query.slotWithinMs);
    const outcome = slot === null ? null : await this.authority.raw({ ...query, slot }, authorityUuid);
    if (outcome?.kind === 'found') return (await isBuiltAs(tx, attempt, outcome.text)) ? 'same' : 'different';
    return outcome?.kind === 'not-found' ? 'different' : 'unavailable';
  }

  /** Reserves the first slot of a search, so that no work is claimed without a slot. */
  reserveSearch(environment: Environment): Promise<CallSlot<'search'> | null> {
    return this.budget.reserve(environment, 'search', SEARCH_SLOT_WITHIN_MS);
  }

  /** Lists the documents received in a window of at most 31 days. Returns null if a page is unavailable. */
  async search(
    search: DocumentSearch,
    window: { submittedFrom: Date; submittedTo: Date },
  ): Promise<PartialSummary[] | 'too-many' | null> {
    const rows: PartialSummary[] = [];
    for (let page = 1; page <= PAGES_MAX; page += 1) {
      const { environment } = search.slot;
      const slot = page === 1 ? search.slot : await this.budget.reserve(environment, 'search', PAGE_SLOT_WITHIN_MS);
      if (slot === null) return null;
      await search.beforePage(slot.waitMs / 1_000);
      const outcome = await this.authority.search({ ...search, slot }, { ...window, page });
      if (outcome.kind !== 'page') return null;
      if (outcome.totalPages > PAGES_MAX) return 'too-many';
      rows.push(...outcome.rows);
      if (page >= outcome.totalPages) return rows;
    }
    return null;
  }
}
