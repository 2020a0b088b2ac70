import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DetailsOutcome, Traced } from '../../authority/outcomes.js';
import type { Taxpayer } from '../../authority/tokens.js';
import { type DocumentSummary, isFollowable } from '../../authority/wire.js';
import type { Environment } from '../../config/environment.js';
import { type DocumentError, explainFindings, type Finding } from '../../documents/error-catalogue.js';
import { readPlausibleTime } from './authority-times.js';
import { AuthorityDocuments, type DocumentQuery } from './authority-documents.js';
import { compareIdentity, contradictsConfirmed } from './document-identity.js';
import { findDuplicateOriginal, isDuplicate } from './duplicates.js';
import { readDocumentLocations } from './document-locations.js';
import { type BuiltIdentity, readIdentity, readUuidOwners } from './identity.sql.js';
import type { FollowedDocument, FollowedSubmission } from './followed-submission.js';
import type { StatusChange } from './status-changes.js';
import { POLLS_WITHOUT_REASON_MAX, buildErrorsWithoutReason, describeMissingReason } from './without-reason.js';

interface DocumentRead {
  readonly environment: Environment;
  readonly submission: { readonly taxpayer: Taxpayer };
  readonly signal: AbortSignal;
}

interface PolledDocument extends DocumentRead {
  readonly submission: FollowedSubmission;
  readonly member: FollowedDocument;
  readonly summary: DocumentSummary;
  readonly correlationId: string | null;
}

/**
 * Result of polling a document.
 * `without-reason`: invalid without errors, which may still appear.
 * `doubt`: invalid, but the authority may have another copy. The errors take effect only if lookups find none.
 * `original`: a duplicate of an earlier copy of the same document, which is polled instead.
 */
export type PolledOutcome =
  | { readonly kind: 'wait' | 'without-reason' }
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'change'; readonly change: StatusChange }
  | { readonly kind: 'original'; readonly original: Original }
  | { readonly kind: 'doubt'; readonly errors: readonly DocumentError[] };

interface Rejection {
  readonly findings: readonly Finding[];
  readonly errors: readonly DocumentError[];
  readonly invalid: PolledOutcome;
}

export interface Original {
  readonly authorityUuid: string;
  readonly submissionUid: string;
}

/** `other`: a different document. `unclear`: possibly another copy of the duplicate itself. */
type Origin = Original | 'other' | 'unclear';

const WAIT: PolledOutcome = { kind: 'wait' };
const STATE_BY_STATUS = { Valid: 'valid', Invalid: 'invalid', Cancelled: 'cancelled' } as const;
const SLOT_WITHIN_MS = 5_000;

@Injectable()
export class OutcomeReader {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: AuthorityDocuments,
  ) {}

  async readOutcome(shown: PolledDocument): Promise<PolledOutcome> {
    const polled = { ...shown, summary: omitImplausibleTimes(shown) };
    const { summary, member, correlationId } = polled;
    if (summary.status === null) return buildUnreadable('the authority shows an unreadable status');
    if (summary.status === 'Submitted') return WAIT;
    const isSettledInvalid = member.authorityStatus === 'Invalid' && !member.isWithoutReason;
    if (summary.status === 'Invalid' && !isSettledInvalid) return this.invalidOutcome(polled);
    const facts = {
      authorityLongId: summary.longId,
      validatedAt: summary.validatedAt,
      cancelledAt: summary.cancelledAt,
      rejectionRequestedAt: summary.rejectionRequestedAt,
    };
    const to = STATE_BY_STATUS[summary.status];
    return buildChange({ transactionId: member.transactionId, to, cause: 'poll', correlationId, facts });
  }

  async readSummary(read: DocumentRead & { authorityUuid: string }): Promise<DocumentSummary | null> {
    const outcome = await this.readDetails(read);
    return outcome?.kind === 'found' ? outcome.document : null;
  }

  readDetails(read: DocumentRead & { authorityUuid: string }): Promise<Traced<DetailsOutcome> | null> {
    return this.documents.readDetails(toDocumentQuery(read), read.authorityUuid);
  }

  private async invalidOutcome(polled: PolledDocument): Promise<PolledOutcome> {
    const { member, summary, correlationId } = polled;
    const details = await this.documents.readDetails(toDocumentQuery(polled), summary.authorityUuid);
    if (details?.kind === 'found' && contradictsConfirmed(member, details.document)) {
      return buildUnreadable('the authority calls it invalid, and shows the details of another document');
    }
    if (details?.kind !== 'found' || details.errors.length === 0) return this.outcomeWithoutReason(polled, details);
    const { transactionId } = member;
    const { tenantId } = polled.submission.taxpayer;
    const locations = await readDocumentLocations(this.dataSource.manager, tenantId, [transactionId]);
    const errors = explainFindings(details.errors, locations.get(transactionId) ?? null);
    const facts = { validatedAt: summary.validatedAt, errors };
    const invalid = buildChange({ transactionId, to: 'invalid', cause: 'poll', correlationId, facts });
    // The outcome of a settled document never changes.
    return member.isWithoutReason ? invalid : this.decideInvalid(polled, { findings: details.errors, errors, invalid });
  }

  /**
   * Decides whether an invalid document ends its attempt. An invalid copy proves nothing about an earlier send, and the
   * network may have delivered a single send twice (docs/rules.md#refused-calls).
   */
  private async decideInvalid(
    polled: PolledDocument,
    { findings, errors, invalid }: Rejection,
  ): Promise<PolledOutcome> {
    const { tenantId } = polled.submission.taxpayer;
    const { transactionId } = polled.member;
    const identity = await readIdentity(this.dataSource.manager, { tenantId, transactionId });
    const named = findDuplicateOriginal(findings);
    const origin = isDuplicate(findings) ? await this.findOrigin(polled, identity, named) : 'other';
    if (typeof origin === 'object') return { kind: 'original', original: origin };
    return origin === 'other' && !identity.isResponseLost ? invalid : { kind: 'doubt', errors };
  }

  /** After a lost response, only the missing errors would show whether the document duplicates itself. */
  private async outcomeWithoutReason(
    polled: PolledDocument,
    details: Traced<DetailsOutcome> | null,
  ): Promise<PolledOutcome> {
    const { member, summary, submission } = polled;
    const authorityMessage = describeMissingReason(details);
    if (member.isWithoutReason) return WAIT;
    if (isContradicted(details)) return buildUnreadable('the authority calls it both invalid and valid');
    if (authorityMessage === null) {
      return isUnreadable(details)
        ? buildUnreadable('the authority calls it invalid, and its details are unreadable')
        : WAIT;
    }
    if (submission.pollsWithoutReason + 1 < POLLS_WITHOUT_REASON_MAX) return { kind: 'without-reason' };
    const { transactionId } = member;
    const attempt = { tenantId: submission.tenantId, transactionId };
    const { isResponseLost } = await readIdentity(this.dataSource.manager, attempt);
    const correlationId = details?.correlationId ?? polled.correlationId;
    const errors = buildErrorsWithoutReason(authorityMessage, correlationId);
    if (isResponseLost) return { kind: 'doubt', errors };
    const facts = { validatedAt: summary.validatedAt, errors };
    return buildChange({ transactionId, to: 'invalid', cause: 'poll', correlationId, facts });
  }

  /** Reads the earlier document. If it is unavailable, lookups read it again. */
  private async findOrigin(polled: PolledDocument, identity: BuiltIdentity, named: string | null): Promise<Origin> {
    if (named === null || named === polled.summary.authorityUuid) return 'unclear';
    const outcome = await this.documents.readDetails(toDocumentQuery(polled), named);
    if (outcome?.kind !== 'found') return 'unclear';
    const { document } = outcome;
    const likeness = compareIdentity(identity, document);
    if (likeness === 'different') return 'other';
    // A document without a submission could not be polled.
    if (likeness === 'unclear' || !isFollowable(document)) return 'unclear';
    return (await this.isOwnOriginal(polled, identity, named)) ? document : 'unclear';
  }

  private async isOwnOriginal(
    polled: PolledDocument,
    { isResponseLost }: BuiltIdentity,
    authorityUuid: string,
  ): Promise<boolean> {
    if (await this.belongsToOther(polled, authorityUuid)) return false;
    if (isResponseLost) return true;
    const attempt = { tenantId: polled.submission.taxpayer.tenantId, transactionId: polled.member.transactionId };
    const content = { attempt, authorityUuid };
    return (await this.documents.compare(toDocumentQuery(polled), this.dataSource.manager, content)) === 'same';
  }

  private async belongsToOther({ environment, member }: PolledDocument, authorityUuid: string): Promise<boolean> {
    const owners = await readUuidOwners(this.dataSource.manager, environment, [authorityUuid]);
    return (owners.get(authorityUuid) ?? member).transactionId !== member.transactionId;
  }
}

function omitImplausibleTimes({ summary, member, submission }: PolledDocument): DocumentSummary {
  const bounds = { after: member.submittedAt ?? member.acceptedAt, now: submission.polledAt };
  return {
    ...summary,
    validatedAt: readPlausibleTime(summary.validatedAt, bounds),
    cancelledAt: readPlausibleTime(summary.cancelledAt, bounds),
    rejectionRequestedAt: readPlausibleTime(summary.rejectionRequestedAt, bounds),
  };
}

function isContradicted(details: DetailsOutcome | null): boolean {
  if (details?.kind !== 'found') return false;
  return details.document.status === 'Valid' || details.document.status === 'Cancelled';
}

function toDocumentQuery({ environment, submission: { taxpayer }, signal }: DocumentRead): DocumentQuery {
  return { environment, taxpayer, signal, slotWithinMs: SLOT_WITHIN_MS };
}

/** Returns whether the authority returned a response without details. Pure. */
export function isUnreadable(details: DetailsOutcome | null): boolean {
  return details !== null && ['unavailable', 'refused', 'forbidden'].includes(details.kind);
}

function buildUnreadable(reason: string): PolledOutcome {
  return { kind: 'unreadable', reason };
}

function buildChange(change: StatusChange): PolledOutcome {
  return { kind: 'change', change };
}
