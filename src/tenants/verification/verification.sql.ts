import type { EntityManager } from 'typeorm';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import { UNVERIFIED, type Verification, type VerificationStatus } from './verification.js';

export interface StoredVerification extends Verification {
  readonly environment: Environment;
  readonly isShared: boolean;
  readonly decidedBy: string | null;
  readonly updatedAt: Date | null;
}

// Ignores decisions about earlier TINs and ids.
const VERIFICATIONS = /* sql */ `
  SELECT v.environment, v.status, v.reason, v.is_shared AS "isShared", v.decided_by AS "decidedBy",
         v.updated_at AS "updatedAt"
    FROM tenant t
    JOIN taxpayer_verification v ON v.tenant_id = t.tenant_id
     AND (v.tin, v.id_type, v.id_value) = (t.tin, t.id_type, t.id_value)
   WHERE t.tenant_id = $1`;

export async function readVerifications(
  tx: Pick<EntityManager, 'query'>,
  tenantId: string,
): Promise<StoredVerification[]> {
  const stored = await tx.query<StoredVerification[]>(VERIFICATIONS, [tenantId]);
  return ENVIRONMENTS.map(
    (environment) => stored.find((each) => each.environment === environment) ?? unverifiedIn(environment),
  );
}

export async function readVerification(
  tx: Pick<EntityManager, 'query'>,
  { tenantId, environment }: { tenantId: string; environment: Environment },
): Promise<StoredVerification> {
  const all = await readVerifications(tx, tenantId);
  return all.find((each) => each.environment === environment) ?? unverifiedIn(environment);
}

export type VerificationByEnvironment = Readonly<Record<Environment, string>>;

export const UNVERIFIED_EVERYWHERE: VerificationByEnvironment = { sandbox: 'unverified', production: 'unverified' };

const ALL_VERIFICATIONS = /* sql */ `
  SELECT t.tenant_id AS "tenantId", jsonb_object_agg(v.environment,
           v.status || CASE WHEN v.is_shared THEN ' (shared TIN)' ELSE '' END) AS stands
    FROM tenant t
    JOIN taxpayer_verification v ON v.tenant_id = t.tenant_id
     AND (v.tin, v.id_type, v.id_value) = (t.tin, t.id_type, t.id_value)
   GROUP BY t.tenant_id`;

/** Reads the verifications of all tenants; omitted tenants are unverified. */
export async function listVerifications(
  tx: Pick<EntityManager, 'query'>,
): Promise<ReadonlyMap<string, VerificationByEnvironment>> {
  const rows = await tx.query<{ tenantId: string; stands: Partial<VerificationByEnvironment> }[]>(ALL_VERIFICATIONS);
  return new Map(rows.map(({ tenantId, stands }) => [tenantId, { ...UNVERIFIED_EVERYWHERE, ...stands }]));
}

function unverifiedIn(environment: Environment): StoredVerification {
  return { environment, ...UNVERIFIED, isShared: false, decidedBy: null, updatedAt: null };
}

/** Requests a verification for the transaction's tenant. @returns the new status, or null if it did not change */
export async function requestVerification(
  tx: EntityManager,
  environment: Environment,
): Promise<'waiting' | 'verified' | null> {
  const [{ status }] = await tx.query<[{ status: 'waiting' | 'verified' | null }]>(
    'SELECT request_verification($1) AS status',
    [environment],
  );
  return status;
}

export interface SeenVerification {
  readonly tin: string;
  readonly idType: string;
  readonly idValue: string;
  readonly status: VerificationStatus;
}

export interface VerificationDecision {
  readonly tenantId: string;
  readonly environment: Environment;
  readonly status: 'waiting' | 'verified' | 'refused';
  readonly isShared: boolean;
  readonly reason: string | null;
  readonly decidedBy: string | null;
  /** Null for a command. */
  readonly seen: SeenVerification | null;
}

/** Outcomes other than `decided` mean no change. */
export type DecisionOutcome = 'decided' | 'unknown' | 'incomplete' | 'changed' | 'repeated' | 'taken';

export async function decideVerification(
  tx: EntityManager,
  { tenantId, environment, status, isShared, reason, decidedBy, seen }: VerificationDecision,
): Promise<DecisionOutcome> {
  const [{ outcome }] = await tx.query<[{ outcome: DecisionOutcome }]>(
    'SELECT decide_verification($1, $2, $3, $4, $5, $6, $7) AS outcome',
    [tenantId, environment, status, isShared, reason, decidedBy, seen === null ? null : JSON.stringify(seen)],
  );
  return outcome;
}
