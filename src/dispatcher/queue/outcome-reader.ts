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

/** Whom to ask about a document, and how long. */
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
 * What to do after a poll: nothing yet, or a move of the attempt. `without-reason` is an invalid document without the
 * authority's errors: it is polled again, a few times. `unreadable` is a document whose outcome the authority's responses do
 * not show or contradict. `doubt` is an invalid document of which the authority may have another copy: the errors count only
 * if lookups find none. `original` is a duplicate of an earlier copy of the same document, which is followed instead.
 */
export type PolledOutcome =
  | { readonly kind: 'wait' | 'without-reason' }
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'change'; readonly change: StatusChange }
  | { readonly kind: 'original'; readonly original: Original }
  | { readonly kind: 'doubt'; readonly errors: readonly DocumentError[] };

/** Why a document is invalid, and what that means if the authority has no other copy. */
interface Rejection {
  readonly findings: readonly Finding[];
  readonly errors: readonly DocumentError[];
  readonly invalid: PolledOutcome;
}

/** The copy of a document that the authority had before, and the submission that the authority has it in. */
export interface Original {
  readonly authorityUuid: string;
  readonly submissionUid: string;
}

/** The document's own original. `other` is another document; `unclear` may be another copy of the duplicate itself. */
type Origin = Original | 'other' | 'unclear';

const WAIT: PolledOutcome = { kind: 'wait' };
const STATE_BY_STATUS = { Valid: 'valid', Invalid: 'invalid', Cancelled: 'cancelled' } as const;
const SLOT_WITHIN_MS = 5_000;

/** Turns what the authority shows of a document into the attempt's next status, with the errors of an invalid one. */
@Injectable()
export class OutcomeReader {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: AuthorityDocuments,
  ) {}

  /** Reads the outcome of an attempt from a poll. */
  async readOutcome(shown: PolledDocument): Promise<PolledOutcome> {
    const polled = { ...shown, summary: omitImplausibleTimes(shown) };
    const { summary, member, correlationId } = polled;
    if (summary.status === null) return unreadable('the authority shows a status that is unreadable');
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
    return changed({ transactionId: member.transactionId, to, cause: 'poll', correlationId, facts });
  }

  /** One document asked for by itself; null when it cannot be had now. */
  async readSummary(read: DocumentRead & { authorityUuid: string }): Promise<DocumentSummary | null> {
    const outcome = await this.readDetails(read);
    return outcome?.kind === 'found' ? outcome.document : null;
  }

  /** Reads the details of a document; null if no call is left. */
  readDetails(read: DocumentRead & { authorityUuid: string }): Promise<Traced<DetailsOutcome> | null> {
    return this.documents.readDetails(toDocumentQuery(read), read.authorityUuid);
  }

  private async invalidOutcome(polled: PolledDocument): Promise<PolledOutcome> {
    const { member, summary, correlationId } = polled;
    // An invalid document is polled again until its errors can be read.
    const details = await this.documents.readDetails(toDocumentQuery(polled), summary.authorityUuid);
    if (details?.kind === 'found' && contradictsConfirmed(member, details.document)) {
      return unreadable('the authority calls it invalid, and shows the details of another document');
    }
    if (details?.kind !== 'found' || details.errors.length === 0) return this.outcomeWithoutReason(polled, details);
    const { transactionId } = member;
    const { tenantId } = polled.submission.taxpayer;
    const locations = await readDocumentLocations(this.dataSource.manager, tenantId, [transactionId]);
    const errors = explainFindings(details.errors, locations.get(transactionId) ?? null);
    const facts = { validatedAt: summary.validatedAt, errors };
    const invalid = changed({ transactionId, to: 'invalid', cause: 'poll', correlationId, facts });
    // The outcome of a settled document never changes.
    return member.isWithoutReason ? invalid : this.weighInvalid(polled, { findings: details.errors, errors, invalid });
  }

  /**
   * Decides whether an invalid document ends its attempt. An invalid copy proves nothing about an earlier send, and a
   * duplicate that was sent once may be the second of two deliveries by the network (docs/rules.md#refused-calls).
   */
  private async weighInvalid(polled: PolledDocument, { findings, errors, invalid }: Rejection): Promise<PolledOutcome> {
    const { tenantId } = polled.submission.taxpayer;
    const { transactionId } = polled.member;
    const identity = await readIdentity(this.dataSource.manager, { tenantId, transactionId });
    const named = findDuplicateOriginal(findings);
    const origin = isDuplicate(findings) ? await this.findOrigin(polled, identity, named) : 'other';
    if (typeof origin === 'object') return { kind: 'original', original: origin };
    return origin === 'other' && !identity.isResponseLost ? invalid : { kind: 'doubt', errors };
  }

  /**
   * Settles an invalid document without the authority's reason after some polls, with a text of the service. If a response
   * was lost, the document may be a duplicate of itself, which only its errors would show.
   */
  private async outcomeWithoutReason(
    polled: PolledDocument,
    details: Traced<DetailsOutcome> | null,
  ): Promise<PolledOutcome> {
    const { member, summary, submission } = polled;
    const said = describeMissingReason(details);
    if (member.isWithoutReason) return WAIT;
    if (isContradicted(details)) return unreadable('the authority calls it both invalid and valid');
    if (said === null) {
      return isUnreadable(details)
        ? unreadable('the authority calls it invalid, and its details are unreadable')
        : WAIT;
    }
    if (submission.pollsWithoutReason + 1 < POLLS_WITHOUT_REASON_MAX) return { kind: 'without-reason' };
    const { transactionId } = member;
    const attempt = { tenantId: submission.tenantId, transactionId };
    const { isResponseLost } = await readIdentity(this.dataSource.manager, attempt);
    const correlationId = details?.correlationId ?? polled.correlationId;
    const errors = buildErrorsWithoutReason(said, correlationId);
    if (isResponseLost) return { kind: 'doubt', errors };
    const facts = { validatedAt: summary.validatedAt, errors };
    return changed({ transactionId, to: 'invalid', cause: 'poll', correlationId, facts });
  }

  /** Reads the document that the authority had before. If it cannot be read now, lookups try again. */
  private async findOrigin(polled: PolledDocument, identity: BuiltIdentity, named: string | null): Promise<Origin> {
    if (named === null || named === polled.summary.authorityUuid) return 'unclear';
    const outcome = await this.documents.readDetails(toDocumentQuery(polled), named);
    if (outcome?.kind !== 'found') return 'unclear';
    const { document } = outcome;
    const likeness = compareIdentity(identity, document);
    if (likeness === 'different') return 'other';
    // A document without a submission could not be followed.
    if (likeness === 'unclear' || !isFollowable(document)) return 'unclear';
    return (await this.isOwnOriginal(polled, identity, named)) ? document : 'unclear';
  }

  /** Decides whether an original with the same identity is the document's own. */
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

/** The details of the same document say that it is valid: nothing is decided before they agree with the summary. */
function isContradicted(details: DetailsOutcome | null): boolean {
  if (details?.kind !== 'found') return false;
  return details.document.status === 'Valid' || details.document.status === 'Cancelled';
}

function toDocumentQuery({ environment, submission: { taxpayer }, signal }: DocumentRead): DocumentQuery {
  return { environment, taxpayer, signal, slotWithinMs: SLOT_WITHIN_MS };
}

/** Returns whether the authority responded to a call for details with something else. Pure. */
export function isUnreadable(details: DetailsOutcome | null): boolean {
  return details !== null && ['unavailable', 'refused', 'forbidden'].includes(details.kind);
}

function unreadable(reason: string): PolledOutcome {
  return { kind: 'unreadable', reason };
}

function changed(change: StatusChange): PolledOutcome {
  return { kind: 'change', change };
}
