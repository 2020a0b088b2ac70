import type { EntityManager } from 'typeorm';
import { type Actor, appendAudit, COMMAND_ACTOR } from '../../accounts/audit.js';
import { OperatorError } from '../../errors/operator-error.js';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import { type DecisionOutcome, decideVerification, type SeenVerification } from './verification.sql.js';
import { readEvidence, type VerificationEvidence } from './evidence.js';

export interface OperatorDecision {
  readonly tenantId: string;
  readonly environment: Environment;
  readonly status: 'waiting' | 'verified' | 'refused';
  readonly isShared?: boolean;
  /** Shown to the organisation. */
  readonly reason?: string;
  /** Omitted by commands. */
  readonly seen?: SeenVerification;
}

const REFUSALS: Readonly<Record<Exclude<DecisionOutcome, 'decided'>, string>> = {
  unknown: 'There is no such organisation',
  incomplete: 'The profile of this organisation lacks the TIN or the id, and the verification needs both',
  changed: 'The profile of this organisation or its verification has changed meanwhile: look at it again',
  repeated: 'This decision has already been made',
  taken: 'Another organisation is verified for this TIN: refuse that one first, or mark the TIN as shared',
};

/** Stores a decision about an organisation's TIN with an audit entry. Outcomes other than `decided` mean no change. */
export async function tryDecision(
  tx: EntityManager,
  { tenantId, environment, status, isShared = false, reason, seen }: OperatorDecision,
  actor: Actor,
): Promise<DecisionOutcome> {
  const outcome = await decideVerification(tx, {
    tenantId,
    environment,
    status,
    isShared: status === 'verified' && isShared,
    reason: reason ?? null,
    decidedBy: status === 'waiting' ? null : actor.email,
    seen: seen ?? null,
  });
  if (outcome !== 'decided') return outcome;
  const { tin, idType, idValue } = await findEvidence(tx, tenantId);
  const details = { environment, idType, idValue, isShared, reason };
  await appendAudit(tx, actor, { tenantId, action: `verification.${status}`, subject: tin ?? '', details });
  return outcome;
}

/** Like `tryDecision`, but returns the evidence. @throws OperatorError unless the decision was made */
export async function decide(
  tx: EntityManager,
  decision: OperatorDecision,
  actor: Actor,
): Promise<VerificationEvidence> {
  const outcome = await tryDecision(tx, decision, actor);
  if (outcome !== 'decided') throw new OperatorError(REFUSALS[outcome]);
  return findEvidence(tx, decision.tenantId);
}

/**
 * Verifies an organisation in both environments after an operator command has set its TIN. If the TIN is taken, the
 * organisation waits for a decision unless `isShared`.
 */
export async function verifyByCommand(
  tx: EntityManager,
  { tenantId, isShared }: { tenantId: string; isShared: boolean },
): Promise<void> {
  for (const environment of ENVIRONMENTS) {
    const outcome = await tryDecision(tx, { tenantId, environment, status: 'verified', isShared }, COMMAND_ACTOR);
    if (outcome === 'taken') await tryDecision(tx, { tenantId, environment, status: 'waiting' }, COMMAND_ACTOR);
  }
}

async function findEvidence(tx: EntityManager, tenantId: string): Promise<VerificationEvidence> {
  const [evidence] = await readEvidence(tx, { tenantId });
  return evidence;
}
