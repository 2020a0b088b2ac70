import type { QueryRunner } from 'typeorm';

/** An attempt that holds a uuid of the authority which another attempt of the environment holds too. */
export interface UuidConflict {
  readonly authorityUuid: string;
  readonly environment: string;
  readonly tenantId: string;
  readonly tenantName: string;
  readonly transactionId: string;
  readonly documentType: string;
  readonly referenceId: string;
  readonly authorityStatus: string | null;
}

/** Of the columns that the first schema has, since it is asked before a migration as well as after it. */
export const FIND_UUID_CONFLICTS = /* sql */ `
  SELECT t.authority_uuid AS "authorityUuid", t.environment, t.tenant_id AS "tenantId", o.name AS "tenantName",
         t.id AS "transactionId", t.document_type AS "documentType", t.reference_id AS "referenceId",
         t.authority_status AS "authorityStatus"
    FROM (SELECT authority_uuid, environment FROM document_transaction WHERE authority_uuid IS NOT NULL
           GROUP BY authority_uuid, environment HAVING count(*) > 1) c
    JOIN document_transaction t ON t.authority_uuid = c.authority_uuid AND t.environment = c.environment
    JOIN tenant o ON o.tenant_id = t.tenant_id
   ORDER BY t.authority_uuid, t.environment, t.id`;

/** @throws Error that lists every uuid that several attempts hold, and says how each is settled */
export async function refuseUuidConflicts(runner: QueryRunner): Promise<void> {
  const conflicts = (await runner.query(FIND_UUID_CONFLICTS)) as UuidConflict[];
  if (conflicts.length === 0) return;
  const lines = conflicts.map(
    ({ authorityUuid, environment, ...attempt }) =>
      `  ${authorityUuid} (${environment}): transaction ${attempt.transactionId}, ${attempt.documentType} ` +
      `${attempt.referenceId}, ${attempt.authorityStatus ?? 'without a status'}, of ${attempt.tenantName} (${attempt.tenantId})`,
  );
  throw new Error(
    `A uuid of the tax authority belongs to one document, and these are held by several:\n${lines.join('\n')}\n` +
      `Find out in the authority's portal whose each is, and run for each: ` +
      `npm run cli -- queue conflict UUID --environment ENVIRONMENT --keep TRANSACTION. Then migrate again. Nothing was changed.`,
  );
}
