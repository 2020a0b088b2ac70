import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuthorityCalls } from '../../authority/authority-calls.js';
import { CallBudget } from '../../authority/call-budget.js';
import { toNoResponse } from '../../authority/classify.js';
import type { DetailsOutcome, Traced } from '../../authority/outcomes.js';
import type { Taxpayer } from '../../authority/tokens.js';
import type { Environment } from '../../config/environment.js';
import { type AttemptKey, isBuiltAs } from './identity.sql.js';

/** In whose name the authority is asked about a document, and for how long a call is waited for. */
export interface DocumentQuery {
  readonly environment: Environment;
  readonly taxpayer: Taxpayer;
  readonly slotWithinMs: number;
  readonly signal?: AbortSignal;
}

/** Single documents as the authority has them. */
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
   * Whether the authority's document says exactly what an attempt was built as: JSON with its members in any order, and
   * decimals by their value.
   * @returns `different` also when the authority does not give it out; `unavailable` when it could not be asked
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
}
