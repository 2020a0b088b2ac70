import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Actor, appendAudit } from '../../accounts/audit.js';
import { OperatorError } from '../../errors/operator-error.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { readServiceNow } from '../../database/clock.js';
import { AuthorityDocuments } from '../queue/authority-documents.js';
import { readSubmittedAt } from '../queue/authority-times.js';
import { clearUnconfirmedUuids, readUuidOwners, releaseWrongUuids } from '../queue/identity.sql.js';
import {
  assertAdoptable,
  assertDecidable,
  assertLookupsOver,
  assertMissed,
  assertNoneJudged,
  assertNotAccepted,
  assertNotValid,
  assertUnattended,
} from './release-checks.js';
import {
  ACCEPTED_FAILED,
  type Adoption,
  buildAdoption,
  buildAuditEntry,
  buildNotAskedError,
  buildRelease,
  CANCELLATION_GIVEN_UP,
  type Decided,
  type DocumentOutcome,
  FAILED,
  matchOutcomes,
  type Release,
  STATED_INVALID,
  assignUuids,
} from './release-plan.js';
import {
  endCancellations,
  lockReleasable,
  readReleasable,
  type ReleasableMember,
  type ReleasableSubmission,
  recordLostResponse,
  takeOverAccepted,
} from './release.sql.js';
import { changeStatuses, type StatusChange } from '../queue/status-changes.js';
import {
  endSubmission,
  moveToSubmissions,
  freeBytes,
  setAccepted,
  splitOff,
} from '../queue/authority-submissions.sql.js';

const SLOT_WITHIN_MS = 30_000;

/** Decides calls in doubt and abandoned calls (docs/operations.md#documents-in-doubt), with an audit entry. */
@Injectable()
export class SubmissionReleaseService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: AuthorityDocuments,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /**
   * Queues documents again at their old position.
   * @throws OperatorError if lookups continue or the authority has one of the documents
   */
  resend(submissionId: string, actor: Actor): Promise<Release> {
    return this.decide({ submissionId, actor }, async (tx, submission, now) => {
      assertNotAccepted(submission);
      await assertLookupsOver(tx, submission, now);
      assertNoneJudged(submission);
      assertMissed(submission);
      await this.change(tx, submission, now, ({ transactionId }) => ({
        transactionId,
        to: 'queued',
        cause: 'operator_resend',
        facts: { authoritySubmissionId: null },
      }));
      await freeBytes(tx, submission);
      await recordLostResponse(tx, submission);
      await endSubmission(tx, submission, { failure: 'released by an operator: resend', now });
      return buildRelease(submission, 'resend');
    });
  }

  /**
   * Ends documents as `SubmitFailed`, or as `Invalid` if the authority had accepted them.
   * @throws OperatorError if lookups continue
   */
  fail(submissionId: string, actor: Actor): Promise<Release> {
    return this.decide({ submissionId, actor }, async (tx, submission, now) => {
      assertNotAccepted(submission);
      await assertLookupsOver(tx, submission, now);
      assertNotValid(submission);
      // The failure omits an unconfirmed uuid because it may belong to another organisation.
      const ids = submission.members.map(({ transactionId }) => transactionId);
      await clearUnconfirmedUuids(tx, submission.tenantId, ids);
      await this.change(tx, submission, now, ({ transactionId, hasAuthorityStatus }) => ({
        transactionId,
        to: hasAuthorityStatus ? 'invalid' : 'submitFailed',
        cause: 'operator_fail',
        facts: { errors: [hasAuthorityStatus ? ACCEPTED_FAILED : FAILED] },
      }));
      await endSubmission(tx, submission, { failure: 'released by an operator: fail', now });
      return buildRelease(submission, 'fail');
    });
  }

  /**
   * Adopts documents after reading them from the authority, because a wrong uuid would show another document's outcome.
   * @param named `REFERENCE=UUID` for some of the documents, or one uuid for each in their order
   * @throws OperatorError if a uuid belongs to another document or attempt, or the authority does not respond
   */
  async adopt(submissionId: string, named: readonly string[], actor: Actor): Promise<Release> {
    const submission = await readReleasable(this.dataSource.manager, submissionId);
    assertDecidable(submissionId, submission);
    if (this.configuration.authorities[submission.environment] === undefined) {
      throw new OperatorError(
        `An adoption reads the document from the authority. Set AUTHORITY_${submission.environment.toUpperCase()}_API_URL, _CLIENT_ID and ` +
          `_CLIENT_SECRET and SECRETS_KEY for this process as for the dispatcher`,
      );
    }
    const adoptions: Adoption[] = [];
    for (const [member, authorityUuid] of assignUuids(submission, named)) {
      adoptions.push(await this.readFromAuthority(submission, member, authorityUuid));
    }
    return this.decide({ submissionId, actor }, (tx, locked, now) => this.write(tx, locked, { adoptions, now }));
  }

  private async write(
    tx: EntityManager,
    submission: ReleasableSubmission,
    { adoptions, now }: { adoptions: readonly Adoption[]; now: Date },
  ): Promise<Release> {
    const { tenantId, submissionId, environment } = submission;
    const shown = adoptions.map(({ summary }) => summary);
    await releaseWrongUuids(tx, environment, shown);
    const decided = adoptions.map(({ member, summary: { authorityUuid }, unclear }) => ({
      member,
      authorityUuid,
      status: null,
      unclear,
    }));
    await this.assertFree(tx, submission, decided);
    const current = new Map(submission.members.map((member) => [member.transactionId, member]));
    for (const { member, summary } of adoptions) {
      assertAdoptable(current.get(member.transactionId), summary);
    }
    // The client id that has just read the documents can also poll them.
    const clientId = this.configuration.authorities[environment]?.clientId ?? null;
    const isAccepted = submission.state === 'accepted';
    const followedUid = isAccepted ? submission.submissionUid : adoptions[0].submissionUid;
    const documents = adoptions.map(({ member, submissionUid }) => ({ ...member, submissionUid }));
    await moveToSubmissions(tx, { ...submission, submissionUid: followedUid }, { documents, now, clientId });
    // Changes nothing for an attempt that already has the confirmed uuid, which still counts as adopted.
    await changeStatuses(
      tx,
      { tenantId, now },
      adoptions.map(({ member, summary, correlationId }) => ({
        transactionId: member.transactionId,
        to: member.isValid ? 'valid' : 'submitted',
        cause: 'operator_adopt',
        correlationId,
        facts: {
          authorityUuid: summary.authorityUuid,
          uuidConfirmed: true,
          submittedAt: readSubmittedAt(summary, { issuedAt: member.issuedAt, now }),
          ...(member.isValid ? { authorityLongId: summary.longId } : {}),
        },
      })),
    );
    if (isAccepted) {
      await takeOverAccepted(tx, submission, { clientId, now });
      return buildRelease(submission, 'adopt', decided);
    }
    const stillInDoubt = await this.splitOffRest(tx, submission, { decided, now });
    await setAccepted(tx, { tenantId, submissionId }, { submissionUid: followedUid, now, clientId });
    return { ...buildRelease(submission, 'adopt', decided), stillInDoubt };
  }

  /** Moves undecided documents of a call in doubt to a separate call, for which lookups continue. */
  private async splitOffRest(
    tx: EntityManager,
    submission: ReleasableSubmission,
    { decided, now }: { decided: readonly Decided[]; now: Date },
  ): Promise<string | null> {
    const ids = new Set(decided.map(({ member }) => member.transactionId));
    const rest = submission.members.filter(({ transactionId }) => !ids.has(transactionId));
    if (rest.length === 0) return null;
    const { dueAt: nextLookupAt } = submission;
    return splitOff(tx, submission, { members: rest, missingSince: 'kept', failure: null, now, nextLookupAt });
  }

  /**
   * Enters outcomes from the authority's portal for a call that no dispatcher handles.
   * @throws OperatorError if a dispatcher handles the call or an outcome is impossible
   */
  outcome(submissionId: string, stated: readonly DocumentOutcome[], actor: Actor): Promise<Release> {
    return this.decide({ submissionId, actor }, async (tx, submission, now) => {
      if (!submission.isAbandoned) {
        throw new OperatorError(
          `--outcome is only for calls that no dispatcher handles. For submission ${submissionId}, use a decision that ` +
            `"queue show" lists. No data was changed`,
        );
      }
      await assertUnattended(tx, submission);
      const { tenantId } = submission;
      const decided = matchOutcomes(submission, stated);
      await this.assertFree(tx, submission, decided);
      const transactionIds = decided.map(({ member }) => member.transactionId);
      await changeStatuses(
        tx,
        { tenantId, now },
        decided.map(({ member, authorityUuid }) => ({
          transactionId: member.transactionId,
          to: 'submitted',
          cause: 'operator_outcome',
          facts: {
            ...(authorityUuid === null ? {} : { authorityUuid, uuidConfirmed: true }),
            ...(member.hasAuthorityStatus ? {} : { submittedAt: submission.sentAt }),
          },
        })),
      );
      const withoutUuid = decided.filter(({ authorityUuid }) => authorityUuid === null);
      await clearUnconfirmedUuids(
        tx,
        tenantId,
        withoutUuid.map(({ member }) => member.transactionId),
      );
      await changeStatuses(
        tx,
        { tenantId, now },
        decided.map(({ member, authorityUuid, status }) => ({
          transactionId: member.transactionId,
          to: status,
          cause: 'operator_outcome',
          facts: {
            ...(authorityUuid === null ? {} : { authorityUuid, uuidConfirmed: true }),
            ...(status === 'invalid' ? { errors: [STATED_INVALID] } : {}),
          },
        })),
      );
      await endCancellations(tx, { tenantId, transactionIds }, { errors: [CANCELLATION_GIVEN_UP], now });
      if (submission.state === 'accepted') return buildRelease(submission, 'outcome', decided);
      const stillInDoubt = await this.splitOffRest(tx, submission, { decided, now });
      await setAccepted(tx, submission, { submissionUid: null, now });
      return { ...buildRelease(submission, 'outcome', decided), stillInDoubt };
    });
  }

  private async assertFree(
    tx: EntityManager,
    { environment }: ReleasableSubmission,
    decided: readonly Decided[],
  ): Promise<void> {
    const uuids = decided.map(({ authorityUuid }) => authorityUuid).filter((uuid) => uuid !== null);
    const owners = await readUuidOwners(tx, environment, uuids);
    for (const { member, authorityUuid } of decided) {
      if ((owners.get(authorityUuid ?? '') ?? member).transactionId !== member.transactionId) {
        throw new OperatorError(`${authorityUuid} already belongs to another attempt`);
      }
    }
  }

  private async readFromAuthority(
    submission: ReleasableSubmission,
    member: ReleasableMember,
    authorityUuid: string,
  ): Promise<Adoption> {
    const { environment, taxpayer } = submission;
    const query = { environment, taxpayer, slotWithinMs: SLOT_WITHIN_MS };
    const outcome = await this.documents.readDetails(query, authorityUuid);
    if (outcome?.kind === 'not-found') throw new OperatorError(this.explainNotFound(submission, authorityUuid));
    if (outcome?.kind !== 'found') throw buildNotAskedError(authorityUuid, outcome);
    const adoption = buildAdoption(member, outcome);
    // The authority does not return the content of invalid documents.
    if (adoption.unclear === null || adoption.summary.status === 'Invalid') return adoption;
    const attempt = { tenantId: taxpayer.tenantId, transactionId: member.transactionId };
    const likeness = await this.documents.compare(query, this.dataSource.manager, { attempt, authorityUuid });
    if (likeness === 'unavailable') throw buildNotAskedError(authorityUuid, { kind: likeness });
    if (likeness === 'same') return adoption;
    throw new OperatorError(
      `The content of ${authorityUuid} differs from that of ${member.referenceId}. It may be the document of another attempt with ` +
        `the same number. Search for the number in the portal again. No data was changed`,
    );
  }

  private explainNotFound({ environment, clientId }: ReleasableSubmission, authorityUuid: string): string {
    const own = this.configuration.authorities[environment]?.clientId;
    if (clientId === own) return `The authority has no document ${authorityUuid}`;
    const setting = `AUTHORITY_${environment.toUpperCase()}_CLIENT_ID`;
    return (
      `The authority shows no document ${authorityUuid} to the client id ${own}. It was submitted with ${clientId}: run ` +
      `this command with ${setting}=${clientId} and its secret`
    );
  }

  private decide(
    { submissionId, actor }: { submissionId: string; actor: Actor },
    work: (tx: EntityManager, submission: ReleasableSubmission, now: Date) => Promise<Release>,
  ): Promise<Release> {
    return this.dataSource.transaction(async (tx) => {
      const submission = await lockReleasable(tx, submissionId);
      assertDecidable(submissionId, submission);
      const release = await work(tx, submission, await readServiceNow(tx));
      await appendAudit(tx, actor, buildAuditEntry(release));
      return release;
    });
  }

  private async change(
    tx: EntityManager,
    { tenantId, members }: ReleasableSubmission,
    now: Date,
    toChange: (member: ReleasableMember) => StatusChange,
  ): Promise<void> {
    await changeStatuses(tx, { tenantId, now }, members.map(toChange));
  }
}
