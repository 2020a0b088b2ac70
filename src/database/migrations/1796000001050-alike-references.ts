import type { MigrationInterface, QueryRunner } from 'typeorm';
import { index } from './while-serving.js';

/**
 * A number without what people do not see: compatible forms are one (full width is narrow), accents stand apart from
 * their letters, and letters are capital. In the collation C, which folds ASCII alone and the same way on every server.
 * Most numbers are ASCII, and normalize() costs ten times as much as all the rest.
 */
const folded = (reference: string): string => `
  upper(CASE WHEN octet_length(${reference}) = length(${reference}) THEN ${reference} ELSE normalize(${reference}, NFKD) END
        COLLATE "C")`;

// Most numbers are their own folded form and are found by uq_document_reference; only the others are here.
const FOLDED_INDEX = `document (tenant_id, environment, document_type, ${folded('reference_id')})
  WHERE reference_id <> ${folded('reference_id')}`;

// Which documents of the tenant that the transaction has set have a number like the given ones and yet another one: for
// each position, counted from 0, one of them. Runs as the owner, who has no row-level security: its check would come
// before normalize(), which is not leakproof, and no index would be used.
const ALIKE_REFERENCES = /* sql */ `
CREATE OR REPLACE FUNCTION alike_references(p_environment text, p_types text[], p_reference_ids text[])
RETURNS jsonb LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_tenant_id uuid := nullif(current_setting('app.tenant_id', true), '')::uuid;
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object('position', w.position - 1, 'referenceId', a.reference_id)
             ORDER BY w.position), '[]')
      FROM (
        SELECT document_type, reference_id, ${folded('reference_id')} AS folded, position
          FROM unnest(p_types, p_reference_ids) WITH ORDINALITY AS u (document_type, reference_id, position)
        OFFSET 0) w
     CROSS JOIN LATERAL (
       (SELECT d.reference_id FROM document d
         WHERE d.tenant_id = v_tenant_id AND d.environment = p_environment AND d.document_type = w.document_type
           AND d.reference_id = w.folded COLLATE "default" AND w.reference_id <> w.folded COLLATE "default")
       UNION ALL
       (SELECT d.reference_id FROM document d
         WHERE d.tenant_id = v_tenant_id AND d.environment = p_environment AND d.document_type = w.document_type
           AND ${folded('d.reference_id')} = w.folded AND d.reference_id <> ${folded('d.reference_id')}
           AND d.reference_id <> w.reference_id)
       LIMIT 1) a);
END $$;
REVOKE ALL ON FUNCTION alike_references(text, text[], text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION alike_references(text, text[], text[]) TO einvoice_app`;

/**
 * Finds numbers that differ from a known one by case, width or composition alone. Runs while the build before serves.
 */
export class AlikeReferences1796000001050 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await index(runner, 'ix_document_folded_reference', { on: FOLDED_INDEX });
    await runner.query(ALIKE_REFERENCES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION alike_references(text, text[], text[])');
    await runner.query('DROP INDEX CONCURRENTLY ix_document_folded_reference');
  }
}
