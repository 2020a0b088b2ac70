import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AuthorityError } from '../authority/authority-errors.js';
import { AuthorityClient } from '../authority/authority-client.js';
import { CallBudget } from '../authority/call-budget.js';
import type { Taxpayer } from '../authority/tokens.js';
import type { DocumentDetails, DocumentSummary } from '../authority/wire.js';
import type { Environment } from '../config/environment.js';
import { explainFindings } from '../documents/error-catalogue.js';
import { readPlaces } from './document-places.js';
import { type FollowedDocument, holderOf } from './poll.sql.js';
import type { StatusChange } from './status-changes.js';

/** Whom to ask about a document, and how long. */
interface Look {
  readonly environment: Environment;
  readonly submission: { readonly taxpayer: Taxpayer };
  readonly signal: AbortSignal;
}

interface Seen extends Look {
  readonly member: FollowedDocument;
  readonly summary: DocumentSummary;
  readonly correlationId: string | null;
}

const DETAILS_SLOT_WITHIN_MS = 5_000;
// The authority uses DS302 for the number of signatures too; only the duplicate's text names the other document.
const DUPLICATE_CODES: ReadonlySet<string> = new Set(['DS302', 'DV302']);
const OTHER_UUID = /for the document with UUID: ?([0-9A-Z]{26})/i;

/** Turns what the authority shows of a document into the attempt's next status, with the errors of an invalid one. */
@Injectable()
export class OutcomeReader {
  constructor(
    private readonly dataSource: DataSource,
    private readonly budget: CallBudget,
    private readonly authority: AuthorityClient,
  ) {}

  /** The attempt's next status, or null when there is nothing to write yet. */
  async changeFor(seen: Seen): Promise<StatusChange | null> {
    const { summary, member } = seen;
    if (summary.status === null || summary.status === 'Submitted') return null;
    if (summary.status === 'Invalid') return member.authorityStatus === 'Invalid' ? null : this.invalidChange(seen);
    const facts = {
      authorityLongId: summary.longId,
      validatedAt: summary.validatedAt,
      cancelledAt: summary.cancelledAt,
      rejectionRequestedAt: summary.rejectionRequestedAt,
    };
    const { correlationId } = seen;
    const to = summary.status === 'Valid' ? 'valid' : 'cancelled';
    return { transactionId: member.transactionId, to, cause: 'poll', correlationId, facts };
  }

  /** One document asked for by itself; null when it cannot be had now. */
  async summaryOf(look: Look & { authorityUuid: string }): Promise<DocumentSummary | null> {
    return (await this.details(look))?.document ?? null;
  }

  private async invalidChange(seen: Seen): Promise<StatusChange | null> {
    const { member, summary, correlationId } = seen;
    // Without its errors an invalid document explains nothing, so the look is repeated instead.
    const details = await this.details({ ...seen, authorityUuid: summary.authorityUuid });
    if (details === null) return null;
    const original = duplicateOriginalOf(details.errors);
    if (original !== null && original !== summary.authorityUuid) {
      const adoption = await this.adoptionOf(seen, original);
      if (adoption !== null) return adoption;
    }
    const { transactionId } = member;
    const places = await readPlaces(this.dataSource.manager, seen.submission.taxpayer.tenantId, [transactionId]);
    const errors = explainFindings(details.errors, places.get(transactionId) ?? null);
    const facts = { validatedAt: summary.validatedAt, errors };
    return { transactionId, to: 'invalid', cause: 'poll', correlationId, facts };
  }

  /**
   * The authority had this very document already: a send whose answer was lost did arrive, and that one is ours. Unless
   * another attempt holds it, it is adopted, and this one's uuid is given up.
   */
  private async adoptionOf(seen: Seen, authorityUuid: string): Promise<StatusChange | null> {
    const { tenantId } = seen.submission.taxpayer;
    const holder = await holderOf(this.dataSource.manager, tenantId, authorityUuid);
    if (holder !== null) return null;
    const { transactionId } = seen.member;
    return { transactionId, to: 'submitted', cause: 'adopted_original', facts: { authorityUuid } };
  }

  private async details(look: Look & { authorityUuid: string }): Promise<DocumentDetails | null> {
    const slot = await this.budget.reserve(look.environment, 'details', DETAILS_SLOT_WITHIN_MS);
    if (slot === null) return null;
    const { taxpayer } = look.submission;
    const outcome = await this.authority.details({ taxpayer, slot, signal: look.signal }, look.authorityUuid);
    return outcome.kind === 'found' ? outcome : null;
  }
}

/** The uuid of the document that the authority had before, when that is why this one is invalid. */
function duplicateOriginalOf(errors: readonly AuthorityError[]): string | null {
  for (const { code, message } of errors) {
    const [, uuid] = (DUPLICATE_CODES.has(code ?? '') && OTHER_UUID.exec(message)) || [];
    if (uuid !== undefined) return uuid;
  }
  return null;
}
