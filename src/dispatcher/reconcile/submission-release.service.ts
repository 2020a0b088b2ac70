import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Actor, appendAudit, type Change } from '../../audit/audit.js';
import type { DocumentSummary } from '../../authority/wire.js';
import { OperatorError } from '../../errors/operator-error.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import type { Environment } from '../../config/environment.js';
import { readServiceNow } from '../../database/clock.js';
import { withReruns } from '../../database/reruns.js';
import type { DocumentError } from '../../documents/error-catalogue.js';
import type { DocumentType } from '../../documents/simplified-document.js';
import { AuthorityDocuments } from '../authority-documents.js';
import { compareIdentity } from '../document-identity.js';
import { clearUnconfirmedUuids, readOwnedUuids, releaseWrongUuids } from '../identity.sql.js';
import { setAccepted, splitOff } from './reconcile.sql.js';
import { assertNotLookedUp, assertUnknown } from './release-checks.js';
import {
  endSubmission,
  freeBytes,
  lockReleasable,
  readReleasable,
  type ReleasableMember,
  type ReleasableSubmission,
  recordLostResponse,
} from './release.sql.js';
import { changeStatuses, type StatusChange } from '../status-changes.js';

/** What a person decided, and of which documents. */
export interface Release {
  readonly submissionId: string;
  readonly tenantId: string;
  readonly environment: Environment;
  readonly decision: 'resend' | 'adopt' | 'fail';
  readonly documents: readonly {
    readonly documentType: DocumentType;
    readonly referenceId: string;
    readonly authorityUuid: string | null;
  }[];
  /** The submission of those documents that --adopt did not name: still in doubt. */
  readonly stillInDoubt: string | null;
}

interface Adoption {
  readonly member: ReleasableMember;
  readonly summary: DocumentSummary;
  readonly submissionUid: string;
  readonly correlationId: string | null;
}

const SLOT_WITHIN_MS = 30_000;

const FAILED: DocumentError = {
  code: 'in_doubt_given_up',
  message: 'The response to the submission was lost, and an operator has given it up',
  pointer: null,
  hint: 'Submit the document again, or ask the operator of this service, quoting documentId',
  authorityCode: null,
  authorityMessage: null,
};

/**
 * Decides submissions that stayed in doubt (docs/rules.md#commands-and-settings, `queue release`): a person's word in
 * place of the authority's. Every decision is in the audit log of the organisation, with who made it.
 * Credits do not change, because they were spent at acceptance (docs/rules.md#credits).
 */
@Injectable()
export class SubmissionReleaseService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: AuthorityDocuments,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /**
   * The documents never arrived: they are queued again at their old place.
   * @throws OperatorError when the submission is not in doubt or still looked up, or the authority has had one of its
   *   documents
   */
  resend(submissionId: string, actor: Actor): Promise<Release> {
    return this.decide({ submissionId, actor }, async (tx, submission, now) => {
      await assertNotLookedUp(tx, submission, now);
      const judged = submission.members.find(({ hasAuthorityStatus }) => hasAuthorityStatus);
      if (judged !== undefined) {
        throw new OperatorError(
          `The authority has accepted ${judged.referenceId}: it cannot be sent again. Adopt the document that the authority ` +
            `has, or fail it`,
        );
      }
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
   * The documents are given up: `SubmitFailed`, or `Invalid` where the authority has it so, and their numbers are free
   * again.
   * @throws OperatorError when the submission is not in doubt, or still looked up
   */
  fail(submissionId: string, actor: Actor): Promise<Release> {
    return this.decide({ submissionId, actor }, async (tx, submission, now) => {
      await assertNotLookedUp(tx, submission, now);
      // A uuid that the authority never confirmed may be another organisation's: it is not shown with the failure.
      const ids = submission.members.map(({ transactionId }) => transactionId);
      await clearUnconfirmedUuids(tx, submission.tenantId, ids);
      await this.change(tx, submission, now, ({ transactionId, hasAuthorityStatus }) => ({
        transactionId,
        to: hasAuthorityStatus ? 'invalid' : 'submitFailed',
        cause: 'operator_fail',
        facts: { errors: [FAILED] },
      }));
      await endSubmission(tx, submission, { failure: 'released by an operator: fail', now });
      return buildRelease(submission, 'fail');
    });
  }

  /**
   * The authority has the documents under these uuids, which is asked of it first: never taken on a person's word
   * alone, since a wrong uuid would show one document's outcome as another's, and since only the authority knows the
   * submission by which they are followed.
   * @param named `REFERENCE=UUID` for some of the documents, or one uuid for each in their order
   * @throws OperatorError when the submission is not in doubt, a uuid is not its document's or held by another attempt,
   *   or the authority does not respond; then nothing has changed
   */
  async adopt(submissionId: string, named: readonly string[], actor: Actor): Promise<Release> {
    const submission = await readReleasable(this.dataSource.manager, submissionId);
    assertUnknown(submissionId, submission);
    if (this.configuration.authorities[submission.environment] === undefined) {
      throw new OperatorError(
        `Adopting asks the authority first: set AUTHORITY_${submission.environment.toUpperCase()}_API_URL, _CLIENT_ID and ` +
          `_CLIENT_SECRET and SECRETS_KEY for this process too, as for the dispatcher`,
      );
    }
    const adoptions: Adoption[] = [];
    for (const [member, authorityUuid] of uuidsByMember(submission, named)) {
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
    const owned = await readOwnedUuids(
      tx,
      environment,
      shown.map(({ authorityUuid }) => authorityUuid),
    );
    const held = adoptions.find(({ member, summary }) => {
      return (owned.get(summary.authorityUuid) ?? member.transactionId) !== member.transactionId;
    });
    if (held !== undefined) {
      throw new OperatorError(`${held.summary.authorityUuid} belongs to another attempt already`);
    }
    const current = new Set(submission.members.map(({ transactionId }) => transactionId));
    if (adoptions.some(({ member }) => !current.has(member.transactionId))) {
      throw new OperatorError('Its documents have changed meanwhile; try again');
    }
    // Writes nothing to an attempt that already holds the confirmed uuid: it counts as adopted.
    await changeStatuses(
      tx,
      { tenantId, now },
      adoptions.map(({ member, summary, correlationId }) => ({
        transactionId: member.transactionId,
        to: 'submitted',
        cause: 'operator_adopt',
        correlationId,
        facts: { authorityUuid: summary.authorityUuid, uuidConfirmed: true, submittedAt: summary.receivedAt ?? now },
      })),
    );
    const adopted = new Set(adoptions.map(({ member }) => member.transactionId));
    const missing = submission.members.filter(({ transactionId }) => !adopted.has(transactionId));
    // Lookups of the rest go on as before.
    const stillInDoubt =
      missing.length > 0
        ? await splitOff(tx, submission, { members: missing, why: 'missing', now, nextLookupAt: submission.nextLookAt })
        : null;
    // Whichever client id the authority showed the documents to can poll them.
    const clientId = this.configuration.authorities[environment]?.clientId;
    await setAccepted(tx, { tenantId, submissionId }, { submissionUid: adoptions[0].submissionUid, now, clientId });
    return { ...buildRelease(submission, 'adopt', adoptions), stillInDoubt };
  }

  /** Asks the authority for a document, and whether it is the member's. */
  private async readFromAuthority(
    submission: ReleasableSubmission,
    member: ReleasableMember,
    authorityUuid: string,
  ): Promise<Adoption> {
    const { environment, taxpayer } = submission;
    const query = { environment, taxpayer, slotWithinMs: SLOT_WITHIN_MS };
    const outcome = await this.documents.readDetails(query, authorityUuid);
    if (outcome?.kind === 'not-found') throw new OperatorError(this.explainNotFound(submission, authorityUuid));
    if (outcome?.kind !== 'found') throw buildNotAskedError(authorityUuid, outcome?.kind);
    const adoption = buildAdoption(member, outcome);
    if (!member.hasRival || adoption.summary.status === 'Invalid') return adoption;
    const attempt = { tenantId: taxpayer.tenantId, transactionId: member.transactionId };
    const likeness = await this.documents.compare(query, this.dataSource.manager, { attempt, authorityUuid });
    if (likeness === 'unavailable') throw buildNotAskedError(authorityUuid, likeness);
    if (likeness === 'same') return adoption;
    throw new OperatorError(
      `${authorityUuid} does not say what ${member.referenceId} was built as: another attempt has the same number, type, ` +
        `TIN and instant of issue, and it may be that one's`,
    );
  }

  private explainNotFound({ environment, clientId }: ReleasableSubmission, authorityUuid: string): string {
    const own = this.configuration.authorities[environment]?.clientId;
    if (clientId === null || clientId === own) return `The authority has no document ${authorityUuid}`;
    const setting = `AUTHORITY_${environment.toUpperCase()}_CLIENT_ID`;
    return (
      `The authority shows no document ${authorityUuid} to the client id ${own}. It was submitted with ${clientId}: run ` +
      `this command with ${setting}=${clientId} and its secret`
    );
  }

  /** Runs a decision on the locked submission, which must be in doubt still, and enters it in the audit log. */
  private decide(
    { submissionId, actor }: { submissionId: string; actor: Actor },
    work: (tx: EntityManager, submission: ReleasableSubmission, now: Date) => Promise<Release>,
  ): Promise<Release> {
    const decided = async (tx: EntityManager): Promise<Release> => {
      const submission = await lockReleasable(tx, submissionId);
      assertUnknown(submissionId, submission);
      const release = await work(tx, submission, await readServiceNow(tx));
      await appendAudit(tx, actor, buildAuditEntry(release));
      return release;
    };
    return withReruns(() => this.dataSource.transaction(decided));
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

/** @throws OperatorError when what the authority shows is not the member */
function buildAdoption(
  member: ReleasableMember,
  { document: summary, correlationId }: { document: DocumentSummary; correlationId: string | null },
): Adoption {
  if (compareIdentity(member, summary) !== 'same') {
    const issued = (at: Date | null): string => (at === null ? 'at no known time' : `at ${at.toISOString()}`);
    throw new OperatorError(
      `${summary.authorityUuid} is not ${member.documentType} ${member.referenceId} of ${member.supplierTin} issued ` +
        `${issued(member.issuedAt)}, but ${summary.typeName ?? 'document'} ${summary.referenceId} of ` +
        `${summary.supplierTin ?? 'an unknown supplier'} issued ${issued(summary.issuedAt)}`,
    );
  }
  const { submissionUid } = summary;
  if (submissionUid === null) throw new OperatorError(`The authority names no submission of ${summary.authorityUuid}`);
  return { member, summary, submissionUid, correlationId };
}

function buildNotAskedError(authorityUuid: string, why = 'no call is left'): OperatorError {
  return new OperatorError(`The authority could not be asked about ${authorityUuid} (${why}); try again later`);
}

function buildRelease(
  { submissionId, tenantId, environment, members }: ReleasableSubmission,
  decision: Release['decision'],
  adoptions: readonly Adoption[] | null = null,
): Release {
  const decided =
    adoptions === null
      ? members.map((member) => ({ member, authorityUuid: null }))
      : adoptions.map(({ member, summary }) => ({ member, authorityUuid: summary.authorityUuid }));
  const documents = decided.map(({ member: { documentType, referenceId }, authorityUuid }) => ({
    documentType,
    referenceId,
    authorityUuid,
  }));
  return { submissionId, tenantId, environment, decision, documents, stillInDoubt: null };
}

function buildAuditEntry({ tenantId, submissionId, environment, decision, documents, stillInDoubt }: Release): Change {
  const details = { environment, documents, stillInDoubt };
  return { tenantId, action: `in_doubt.${decision}`, subject: submissionId, details };
}

const UUID_SHAPE = /^[0-9A-Za-z-]{10,64}$/;

/** Which document each uuid was given for. A number is unique within a call. */
function uuidsByMember(
  { members }: ReleasableSubmission,
  named: readonly string[],
): ReadonlyMap<ReleasableMember, string> {
  // A number may hold an equals sign itself, a uuid never does.
  const pairs = named.map((text) => /^(?:(?<referenceId>.+)=)?(?<uuid>[^=]*)$/s.exec(text)?.groups ?? {});
  const isByNumber = pairs.some(({ referenceId }) => referenceId !== undefined);
  const order = members.map(({ referenceId }) => referenceId).join(', ');
  if (!isByNumber && pairs.length !== members.length) {
    throw new OperatorError(
      `${pairs.length} uuids were given for ${members.length} documents (${order}): name each, or some as REFERENCE=UUID`,
    );
  }
  const byMember = new Map<ReleasableMember, string>();
  for (const [index, { referenceId, uuid }] of pairs.entries()) {
    const member = isByNumber ? members.find((each) => each.referenceId === referenceId) : members[index];
    if (member === undefined) {
      throw new OperatorError(`"${named[index]}" names none of the documents in doubt: ${order}`);
    }
    const authorityUuid = uuid ?? '';
    if (!UUID_SHAPE.test(authorityUuid)) {
      throw new OperatorError(`"${authorityUuid}" is no uuid of the authority, which has 26 letters and digits`);
    }
    if (byMember.has(member) || [...byMember.values()].includes(authorityUuid)) {
      throw new OperatorError(`"${named[index]}" is given twice`);
    }
    byMember.set(member, authorityUuid);
  }
  return byMember;
}
