import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A key is found together with its organisation's rate limits, by `find_caller_key`; the build before knows no other way either. */
export class KeysWithLimitsOnly1797000002900 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION find_api_key(bytea)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(/* sql */ `
CREATE FUNCTION find_api_key(p_digest bytea)
RETURNS TABLE (tenant_id uuid, key_id uuid, environment text, expires_at timestamptz, revoked_at timestamptz,
               last_used_at timestamptz, now timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT k.tenant_id, k.id, k.environment, k.expires_at, k.revoked_at, k.last_used_at, service_now()
    FROM api_key k WHERE k.digest = p_digest LIMIT 1
$$;
REVOKE ALL ON FUNCTION find_api_key FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_api_key TO einvoice_app;
`);
  }
}
