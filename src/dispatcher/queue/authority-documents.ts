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

/** In whose name the authority is asked about a document, and for how long a call is waited for. */
export interface DocumentQuery {
  readonly environment: Environment;
  readonly taxpayer: Taxpayer;
  readonly slotWithinMs: number;
  readonly signal?: AbortSignal;
}

/** A search for the documents that the authority has received on behalf of a taxpayer. */
export interface DocumentSearch {
  readonly taxpayer: Taxpayer;
  /** For the first page. Each further page reserves a slot. */
  readonly slot: CallSlot<'search'>;
  readonly signal: AbortSignal;
  /** Called before each page with the seconds until its slot, so that leases can be extended. */
  goOn(slotWaitSeconds: number): Promise<void>;
}

// The authority searches 12 times a minute for everybody, and once in five seconds for one taxpayer.
const SEARCH_SLOT_WITHIN_MS = 10_000;
// Other replicas search in between. Without the next page, the pages so far are lost.
const PAGE_SLOT_WITHIN_MS = 60_000;
// The authority lists at most 10,000 documents.
const PAGES_MAX = 100;

/** Documents as the authority has them. */
@Injectable()
export class AuthorityDocuments {
  constructor(
    private readonly budget: CallBudget,
    private readonly authority: AuthorityCalls,
  ) {}

  /**
   * Reads the details of a document. A response with the details of another uuid counts as unavailable.
   * @returns null if no call is left within the time
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
   * Compares the authority's document with the document that was built for an attempt, as JSON with members in any order
   * and decimals by value.
   * @returns `different` even if the authority does not return the document; `unavailable` if the call failed
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

  /** Reserves the slot of a search, before anything is claimed for it. */
  reserveSearch(environment: Environment): Promise<CallSlot<'search'> | null> {
    return this.budget.reserve(environment, 'search', SEARCH_SLOT_WITHIN_MS);
  }

  /**
   * Lists every document received in a window of at most 31 days, page by page.
   * @returns null if a page is unavailable; `too-many` if the authority would not list all documents
   */
  async search(
    search: DocumentSearch,
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
}
