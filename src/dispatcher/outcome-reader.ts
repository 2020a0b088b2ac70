import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DetailsOutcome, Traced } from '../authority/outcomes.js';
import type { Taxpayer } from '../authority/tokens.js';
import type { DocumentSummary } from '../authority/wire.js';
import type { Environment } from '../config/environment.js';
import { explainFindings } from '../documents/error-catalogue.js';
import { readPlausibleTime } from './authority-times.js';
import { AuthorityDocuments, type DocumentQuery } from './authority-documents.js';
import { compareIdentity, contradictsConfirmed } from './document-identity.js';
import { findDuplicateOriginal, isDuplicate } from './duplicates.js';
import { readDocumentLocations } from './document-locations.js';
import { readOwnedUuids, readIdentity } from './identity.sql.js';
import type { FollowedDocument, FollowedSubmission } from './poll/poll.sql.js';
import type { StatusChange } from './status-changes.js';
import { UNEXPLAINED_POLLS, buildUnexplainedErrors, explainUnexplained } from './unexplained.js';

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
 * What to do after a poll: nothing yet, a move of the attempt, or only a person can say. `unexplained` is an
 * invalid document whose errors the authority does not give: it is looked at again, a few times. `unreadable` is a
 * document whose outcome the authority's responses do not show or contradict.
 */
export type PolledOutcome =
  | { readonly kind: 'wait' | 'unexplained' }
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'change'; readonly change: StatusChange }
  | { readonly kind: 'doubt'; readonly reason: string };

/** Whose the document is that a duplicate is a duplicate of. */
type Origin = 'own' | 'foreign' | 'doubtful' | 'unknown-yet';

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

  /** What the look shows of an attempt. */
  async readOutcome(shown: PolledDocument): Promise<PolledOutcome> {
    const seen = { ...shown, summary: omitImplausibleTimes(shown) };
    const { summary, member, correlationId } = seen;
    if (summary.status === null) return unreadable('the authority shows a status that is unreadable');
    if (summary.status === 'Submitted') return WAIT;
    const isSettledInvalid = member.authorityStatus === 'Invalid' && !member.isUnexplained;
    if (summary.status === 'Invalid' && !isSettledInvalid) return this.invalidOutcome(seen);
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

  private async invalidOutcome(seen: PolledDocument): Promise<PolledOutcome> {
    const { member, summary, correlationId } = seen;
    // Without its errors an invalid document explains nothing, so the look is repeated instead.
    const details = await this.documents.readDetails(toDocumentQuery(seen), summary.authorityUuid);
    if (details?.kind === 'found' && contradictsConfirmed(member, details.document)) {
      return unreadable('the authority calls it invalid, and shows the details of another document');
    }
    if (details?.kind !== 'found' || details.errors.length === 0) return this.unexplainedOutcome(seen, details);
    const { transactionId } = member;
    const adoption = await this.findAdoption(seen, details.errors);
    if (adoption !== null) return adoption;
    const places = await readDocumentLocations(this.dataSource.manager, seen.submission.taxpayer.tenantId, [
      transactionId,
    ]);
    const errors = explainFindings(details.errors, places.get(transactionId) ?? null);
    const facts = { validatedAt: summary.validatedAt, errors };
    return changed({ transactionId, to: 'invalid', cause: 'poll', correlationId, facts });
  }

  /**
   * Decides what becomes of an attempt that the authority calls a duplicate.
   * @returns null if the document is invalid, whatever it duplicates
   */
  private async findAdoption(
    seen: PolledDocument,
    errors: Parameters<typeof isDuplicate>[0],
  ): Promise<PolledOutcome | null> {
    // The outcome of a settled document never changes.
    if (seen.member.isUnexplained || !isDuplicate(errors)) return null;
    const original = findDuplicateOriginal(errors);
    if (original === seen.summary.authorityUuid) return null;
    if (original === null) {
      const { tenantId } = seen.submission;
      const attempt = { tenantId, transactionId: seen.member.transactionId };
      const { isResponseLost } = await readIdentity(this.dataSource.manager, attempt);
      return isResponseLost ? { kind: 'doubt', reason: 'the authority calls it a duplicate and names no other' } : null;
    }
    const origin = await this.findOrigin(seen, original);
    if (origin === 'unknown-yet') return WAIT;
    if (origin === 'doubtful') return { kind: 'doubt', reason: `the authority calls it a duplicate of ${original}` };
    if (origin === 'foreign') return null;
    const { transactionId } = seen.member;
    const facts = { authorityUuid: original, uuidConfirmed: true } as const;
    return changed({ transactionId, to: 'submitted', cause: 'adopted_original', facts });
  }

  /**
   * The authority calls the document invalid and does not say why. That is believed after some polls, and said in words
   * of the service; but where a response was lost the document may be a duplicate of itself, which only its errors
   * would tell.
   */
  private async unexplainedOutcome(
    seen: PolledDocument,
    details: Traced<DetailsOutcome> | null,
  ): Promise<PolledOutcome> {
    const { member, summary, submission } = seen;
    const said = explainUnexplained(details);
    if (member.isUnexplained) return WAIT;
    if (isContradicted(details)) return unreadable('the authority calls it both invalid and valid');
    if (said === null) {
      return isUnreadable(details)
        ? unreadable('the authority calls it invalid, and its details are unreadable')
        : WAIT;
    }
    if (submission.unexplainedPolls + 1 < UNEXPLAINED_POLLS) return { kind: 'unexplained' };
    const { transactionId } = member;
    const attempt = { tenantId: submission.tenantId, transactionId };
    if ((await readIdentity(this.dataSource.manager, attempt)).isResponseLost) {
      return {
        kind: 'doubt',
        reason: 'the authority calls it invalid without a reason, and a response was lost before',
      };
    }
    const correlationId = details?.correlationId ?? seen.correlationId;
    const facts = { validatedAt: summary.validatedAt, errors: buildUnexplainedErrors(said, correlationId) };
    return changed({ transactionId, to: 'invalid', cause: 'poll', correlationId, facts });
  }

  /**
   * Whether the document that the authority had before is this attempt's own, of a send whose response was lost. An
   * attempt that had every response has sent nothing else: then it is another's, whatever it looks like.
   */
  private async findOrigin(seen: PolledDocument, original: string): Promise<Origin> {
    const { tenantId } = seen.submission.taxpayer;
    const attempt = { tenantId, transactionId: seen.member.transactionId };
    const identity = await readIdentity(this.dataSource.manager, attempt);
    if (!identity.isResponseLost) return 'foreign';
    const outcome = await this.documents.readDetails(toDocumentQuery(seen), original);
    // It is there, since the authority names it, and not for us to see: a person finds out who submitted it.
    if (outcome?.kind === 'not-found') return 'doubtful';
    if (outcome?.kind !== 'found') return 'unknown-yet';
    const likeness = compareIdentity(identity, outcome.document);
    if (likeness !== 'same') return likeness === 'different' ? 'foreign' : 'doubtful';
    // All that tells documents apart says that it is this attempt's, but it was given for another attempt's.
    if (await this.belongsToOther(seen, original)) return 'doubtful';
    if (!identity.hasRival) return 'own';
    const comparison = await this.documents.compare(toDocumentQuery(seen), this.dataSource.manager, {
      attempt,
      authorityUuid: original,
    });
    return ORIGIN_BY_COMPARISON[comparison];
  }

  private async belongsToOther({ environment, member }: PolledDocument, authorityUuid: string): Promise<boolean> {
    const owned = await readOwnedUuids(this.dataSource.manager, environment, [authorityUuid]);
    return (owned.get(authorityUuid) ?? member.transactionId) !== member.transactionId;
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

// Another attempt has the same identity, and what the authority has is not given out, or says something else: it may be
// that one's, or the authority has changed what it was sent.
const ORIGIN_BY_COMPARISON = { same: 'own', different: 'doubtful', unavailable: 'unknown-yet' } as const;

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
