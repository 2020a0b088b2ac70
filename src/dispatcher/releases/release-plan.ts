import type { Change } from '../../accounts/audit.js';
import type { DocumentSummary } from '../../authority/wire.js';
import type { Environment } from '../../config/environment.js';
import type { DocumentError } from '../../documents/error-catalogue.js';
import { normaliseUuid } from '../../documents/parent-uuid.js';
import type { DocumentType } from '../../documents/simplified-document.js';
import { OperatorError } from '../../errors/operator-error.js';
import type { ReleaseDecision, StatedOutcome } from './release-decisions.js';
import { compareIdentity, explainUnclear } from '../queue/document-identity.js';
import type { ReleasableMember, ReleasableSubmission } from './release.sql.js';

export interface Release {
  readonly submissionId: string;
  readonly tenantId: string;
  readonly environment: Environment;
  readonly decision: ReleaseDecision;
  readonly documents: readonly {
    readonly documentType: DocumentType;
    readonly referenceId: string;
    readonly authorityUuid: string | null;
    readonly status: StatedOutcome | null;
    /** Values of an adopted document that could not be compared, or null if all are equal. */
    readonly unclear: string | null;
  }[];
  readonly stillInDoubt: string | null;
}

export interface Adoption {
  readonly member: ReleasableMember;
  readonly summary: DocumentSummary;
  readonly submissionUid: string;
  readonly correlationId: string | null;
  readonly unclear: string | null;
}

export interface DocumentOutcome {
  readonly referenceId: string;
  readonly status: StatedOutcome;
  /** Required for a valid or cancelled document without a confirmed uuid. */
  readonly authorityUuid: string | null;
}

export interface Decided {
  readonly member: ReleasableMember;
  readonly authorityUuid: string | null;
  readonly status: StatedOutcome | null;
  readonly unclear?: string | null;
}

export const FAILED: DocumentError = {
  code: 'in_doubt_given_up',
  message: 'The response to the submission was lost, and an operator has ended the lookups',
  pointer: null,
  hint: 'Submit the document again, or ask the operator of this service and quote documentId',
  authorityCode: null,
  authorityMessage: null,
};

export const ACCEPTED_FAILED: DocumentError = {
  code: 'in_doubt_given_up',
  message: 'The tax authority accepted the document but never showed its outcome, and an operator has ended the polls',
  pointer: null,
  hint: 'Look for the number in the portal of the tax authority. If no valid document has it, submit the document again',
  authorityCode: null,
  authorityMessage: null,
};

export const STATED_INVALID: DocumentError = {
  code: 'in_doubt_given_up',
  message: 'The tax authority shows the document as invalid, and an operator has entered this',
  pointer: null,
  hint: 'Read the reasons in the portal of the tax authority, correct the document and submit it again',
  authorityCode: null,
  authorityMessage: null,
};

export const CANCELLATION_GIVEN_UP: DocumentError = {
  code: 'in_doubt_given_up',
  message: 'The cancellation could not be sent, and the tax authority shows the document as valid',
  pointer: null,
  hint: 'Cancel the document in the portal of the tax authority, and ask the operator of this service to enter it',
  authorityCode: null,
  authorityMessage: null,
};

const UUID_SHAPE = /^[0-9A-Za-z-]{10,64}$/;

function readUuid(text: string): string {
  const uuid = normaliseUuid(text);
  if (UUID_SHAPE.test(uuid)) return uuid;
  throw new OperatorError(`"${uuid}" is not a uuid of the authority, which has 26 letters and digits`);
}

/** Assigns uuids to documents. Document numbers are unique within a call. */
export function assignUuids(
  { members }: ReleasableSubmission,
  named: readonly string[],
): ReadonlyMap<ReleasableMember, string> {
  // A document number may contain an equals sign, but a uuid may not.
  const pairs = named.map((text) => /^(?:(?<referenceId>.+)=)?(?<uuid>[^=]*)$/s.exec(text)?.groups ?? {});
  const isByNumber = pairs.some(({ referenceId }) => referenceId !== undefined);
  const order = members.map(({ referenceId }) => referenceId).join(', ');
  if (!isByNumber && pairs.length !== members.length) {
    throw new OperatorError(
      `${pairs.length} uuids were given for ${members.length} documents (${order}). Give one for each, or REFERENCE=UUID for some`,
    );
  }
  const byMember = new Map<ReleasableMember, string>();
  for (const [index, { referenceId, uuid }] of pairs.entries()) {
    const member = isByNumber ? members.find((each) => each.referenceId === referenceId) : members[index];
    if (member === undefined) {
      throw new OperatorError(`"${named[index]}" is not one of the documents in doubt: ${order}`);
    }
    const authorityUuid = readUuid(uuid ?? '');
    if (byMember.has(member) || [...byMember.values()].includes(authorityUuid)) {
      throw new OperatorError(`"${named[index]}" is given twice`);
    }
    byMember.set(member, authorityUuid);
  }
  return byMember;
}

/** @throws OperatorError if an outcome names no document of the call or is impossible for it */
export function matchOutcomes(
  { members, state }: ReleasableSubmission,
  stated: readonly DocumentOutcome[],
): (Decided & { readonly status: StatedOutcome })[] {
  const named = new Set<string>();
  return stated.map(({ referenceId, status, authorityUuid }) => {
    const member = members.find((each) => each.referenceId === referenceId);
    if (member === undefined) {
      const order = members.map((each) => each.referenceId).join(', ');
      throw new OperatorError(`"${referenceId}" is not one of the undecided documents: ${order}`);
    }
    if (named.has(referenceId)) throw new OperatorError(`"${referenceId}" is given twice`);
    named.add(referenceId);
    if (member.isValid && status === 'invalid') {
      throw new OperatorError(
        `${referenceId} is Valid, and a valid document never becomes invalid. Enter valid or cancelled`,
      );
    }
    // In a call in doubt, a confirmed uuid belongs to an invalid copy, while the portal may show a different copy.
    const current = { ...member, isUuidConfirmed: member.isUuidConfirmed && state === 'accepted' };
    return { member, status, authorityUuid: chooseUuid(current, { status, authorityUuid }) };
  });
}

/** @throws OperatorError if the uuid is missing or contradicts a confirmed one */
function chooseUuid(
  member: ReleasableMember,
  stated: Pick<DocumentOutcome, 'status' | 'authorityUuid'>,
): string | null {
  const { referenceId } = member;
  const { status } = stated;
  const authorityUuid = stated.authorityUuid === null ? null : readUuid(stated.authorityUuid);
  if (member.isUuidConfirmed) {
    if (authorityUuid === null || authorityUuid === member.authorityUuid) return member.authorityUuid;
    throw new OperatorError(
      `The authority has shown ${referenceId} under ${member.authorityUuid}, not ${authorityUuid}`,
    );
  }
  if (authorityUuid !== null || status === 'invalid') return authorityUuid;
  throw new OperatorError(
    `The uuid of ${referenceId} is not confirmed. Add the uuid that the portal shows, for example ${referenceId}=${status}:UUID`,
  );
}

/** @throws OperatorError if the authority shows another document */
export function buildAdoption(
  member: ReleasableMember,
  { document: summary, correlationId }: { document: DocumentSummary; correlationId: string | null },
): Adoption {
  const likeness = compareIdentity(member, summary);
  if (likeness === 'different') {
    const issued = (at: Date | null): string => (at === null ? 'at no known time' : `at ${at.toISOString()}`);
    throw new OperatorError(
      `${summary.authorityUuid} is not ${member.documentType} ${member.referenceId} of ${member.supplierTin} issued ` +
        `${issued(member.issuedAt)}, but ${summary.typeName ?? 'document'} ${summary.referenceId} of ` +
        `${summary.supplierTin ?? 'an unknown supplier'} issued ${issued(summary.issuedAt)}`,
    );
  }
  const { submissionUid } = summary;
  if (submissionUid === null) throw new OperatorError(`The authority states no submission of ${summary.authorityUuid}`);
  const unclear = likeness === 'same' ? null : explainUnclear(member, summary);
  return { member, summary, submissionUid, correlationId, unclear };
}

/** @param outcome null if no call slot was free */
export function buildNotAskedError(
  authorityUuid: string,
  outcome: { readonly kind: string; readonly reason?: string } | null,
): OperatorError {
  const why = outcome?.reason ?? outcome?.kind ?? 'no call is left';
  return new OperatorError(`The authority did not return ${authorityUuid} (${why}). Try again later`);
}

export function buildRelease(
  { submissionId, tenantId, environment, members }: ReleasableSubmission,
  decision: Release['decision'],
  decided: readonly Decided[] = members.map((member) => ({ member, authorityUuid: null, status: null })),
): Release {
  const documents = decided.map(({ member: { documentType, referenceId }, authorityUuid, status, unclear = null }) => ({
    documentType,
    referenceId,
    authorityUuid,
    status,
    unclear,
  }));
  return { submissionId, tenantId, environment, decision, documents, stillInDoubt: null };
}

export function buildAuditEntry({
  tenantId,
  submissionId,
  environment,
  decision,
  documents,
  stillInDoubt,
}: Release): Change {
  const details = { environment, documents, stillInDoubt };
  return { tenantId, action: `in_doubt.${decision}`, subject: submissionId, details };
}
