import type { EntityManager } from 'typeorm';
import type { Environment } from '../../config/environment.js';
import type { IdType } from '../../documents/identity.js';
import type { VerificationStatus } from './verification.js';

export interface EnvironmentEvidence {
  readonly environment: Environment;
  readonly status: VerificationStatus;
  readonly isShared: boolean;
  readonly reason: string | null;
  readonly decidedBy: string | null;
  readonly updatedAt: string | null;
  /** Null if the profile's TIN was not checked. */
  readonly isAppointed: boolean | null;
  /** Whether the authority confirmed TIN and id together. */
  readonly isIdConfirmed: boolean | null;
  readonly appointmentCheckedAt: string | null;
}

export interface OtherOrganisation {
  readonly tenantId: string;
  readonly name: string;
  readonly idType: IdType | null;
  readonly idValue: string | null;
  readonly sandbox: VerificationStatus;
  readonly production: VerificationStatus;
}

export interface VerificationEvidence {
  readonly tenantId: string;
  readonly name: string;
  readonly tin: string | null;
  readonly idType: IdType | null;
  readonly idValue: string | null;
  /** Unverified e-mail address; null for an organisation created by a command. */
  readonly signUpEmail: string | null;
  readonly createdAt: Date;
  readonly environments: readonly EnvironmentEvidence[];
  /** At most `OTHERS_MAX`, starting with verified organisations. */
  readonly others: readonly OtherOrganisation[];
}

export const OTHERS_MAX = 100;

export interface EvidenceFilter {
  readonly tenantId?: string | null;
  /** Selects organisations that wait for a decision. */
  readonly isOpen?: boolean;
  readonly after?: string | null;
  readonly count?: number;
}

const statusIn = (tenant: string, environment: string): string => `
  coalesce((SELECT v.status FROM taxpayer_verification v
             WHERE v.tenant_id = ${tenant}.tenant_id AND v.environment = ${environment}
               AND (v.tin, v.id_type, v.id_value) = (${tenant}.tin, ${tenant}.id_type, ${tenant}.id_value)), 'unverified')`;

// Appointments are stored per TIN, followed by the id number if the authority's login needs it.
const EVIDENCE = /* sql */ `
  WITH page AS MATERIALIZED (
    SELECT t.tenant_id, t.name, t.tin, t.id_type, t.id_value, t.created_at FROM tenant t
     WHERE ($1::uuid IS NULL OR t.tenant_id = $1)
       AND (NOT $2::boolean OR EXISTS (
             SELECT FROM taxpayer_verification v
              WHERE v.tenant_id = t.tenant_id AND (v.tin, v.id_type, v.id_value) = (t.tin, t.id_type, t.id_value)
                AND v.status = 'waiting'))
       AND ($3::uuid IS NULL OR t.tenant_id < $3)
     ORDER BY t.tenant_id DESC LIMIT $4)
  SELECT t.tenant_id AS "tenantId", t.name, t.tin, t.id_type AS "idType", t.id_value AS "idValue",
         t.created_at AS "createdAt",
         (SELECT a.actor FROM audit_entry a
           WHERE a.tenant_id = t.tenant_id AND a.action = 'organisation.created' ORDER BY a.id LIMIT 1) AS "signUpEmail",
         (SELECT json_agg(json_build_object(
                   'environment', e.environment, 'status', coalesce(v.status, 'unverified'),
                   'isShared', coalesce(v.is_shared, false), 'reason', v.reason, 'decidedBy', v.decided_by,
                   'updatedAt', v.updated_at, 'isAppointed', c.is_appointed,
                   'isIdConfirmed', CASE WHEN c.tenant_id IS NOT NULL THEN coalesce(
                     (c.confirmed_tin, c.confirmed_id_type, c.confirmed_id_value) = (t.tin, t.id_type, t.id_value),
                     false) END,
                   'appointmentCheckedAt', c.checked_at) ORDER BY e.position)
            FROM unnest(ARRAY['sandbox', 'production']) WITH ORDINALITY AS e (environment, position)
            LEFT JOIN taxpayer_verification v ON v.tenant_id = t.tenant_id AND v.environment = e.environment
             AND (v.tin, v.id_type, v.id_value) = (t.tin, t.id_type, t.id_value)
            LEFT JOIN appointment_check c ON c.tenant_id = t.tenant_id AND c.environment = e.environment
             AND split_part(c.on_behalf_of, ':', 1) = t.tin) AS environments,
         coalesce((
           SELECT json_agg(to_json(o))
             FROM (SELECT x.tenant_id AS "tenantId", x.name, x.id_type AS "idType", x.id_value AS "idValue",
                          ${statusIn('x', `'sandbox'`)} AS sandbox, ${statusIn('x', `'production'`)} AS production
                     FROM tenant x WHERE x.tin = t.tin AND x.tenant_id <> t.tenant_id
                    ORDER BY 'verified' IN (${statusIn('x', `'sandbox'`)}, ${statusIn('x', `'production'`)}) DESC,
                             x.tenant_id
                    LIMIT ${OTHERS_MAX}) o), '[]') AS others
    FROM page t ORDER BY t.tenant_id DESC`;

export function readEvidence(
  manager: Pick<EntityManager, 'query'>,
  { tenantId = null, isOpen = false, after = null, count = 1 }: EvidenceFilter,
): Promise<VerificationEvidence[]> {
  return manager.query<VerificationEvidence[]>(EVIDENCE, [tenantId, isOpen, after, count]);
}
