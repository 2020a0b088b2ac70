/** What runs a statement: a `pg.Client` or a `DataSource`. */
interface Statements {
  query(statement: string, parameters: unknown[]): Promise<unknown>;
}

const INSERT_EQUAL_IDENTITY = /* sql */ `
  WITH source AS MATERIALIZED (
    SELECT gen_random_uuid() AS rival_tenant_id, gen_random_uuid() AS rival_id, gen_random_uuid() AS rival_document_id,
           gen_random_uuid() AS rival_batch_id, t.*, a.bytes, a.sha256, a.issued_at AS built_at, a.version AS built_version,
           a.supplier_tin
      FROM document_transaction t
      JOIN authority_document a ON a.tenant_id = t.tenant_id AND a.transaction_id = t.id
     WHERE t.reference_id = $1),
  tenant AS (
    INSERT INTO tenant (tenant_id, name, tin, created_at)
    SELECT rival_tenant_id, 'Rival', supplier_tin, created_at FROM source),
  batch AS (
    INSERT INTO submission_batch (tenant_id, id, environment, submission_type, document_count, created_at)
    SELECT rival_tenant_id, rival_batch_id, environment, 'non-consolidated', 1, created_at FROM source),
  document AS (
    INSERT INTO document (tenant_id, id, environment, document_type, reference_id, transaction_id, attempts, created_at)
    SELECT rival_tenant_id, rival_document_id, environment, document_type, reference_id, rival_id, 1, created_at
      FROM source),
  attempt AS (
    INSERT INTO document_transaction
      (tenant_id, id, environment, document_id, submission_batch_id, position, attempt, document_type, reference_id,
       payload, totals, buyer_tin, on_behalf_of, wire_bytes_max, submission_status, issued_at, due_at, created_at, updated_at)
    SELECT rival_tenant_id, rival_id, environment, rival_document_id, rival_batch_id, 0, 1, document_type, reference_id,
           payload, totals, buyer_tin, on_behalf_of, wire_bytes_max, 'SubmitFailed', built_at, due_at, created_at, updated_at
      FROM source)
  INSERT INTO authority_document
    (tenant_id, transaction_id, bytes, sha256, issued_at, version, may_have_arrived, created_at, environment, supplier_tin,
     document_type, reference_id, exemption)
  SELECT rival_tenant_id, rival_id, bytes, sha256, built_at, built_version, true, created_at, environment, supplier_tin,
         document_type, reference_id, rival_id
    FROM source`;

/**
 * Gives another organisation an attempt with the same type, number, TIN and instant of issue as the one of this number,
 * as organisations could have them before that was ruled out.
 */
export async function insertEqualIdentity(owner: Statements, referenceId: string): Promise<void> {
  await owner.query(INSERT_EQUAL_IDENTITY, [referenceId]);
}
