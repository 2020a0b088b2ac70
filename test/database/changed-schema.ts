import type { DataSource } from 'typeorm';

/** Adds a column to every table. @returns the number of tables */
export async function changeTables(owner: DataSource): Promise<number> {
  const tables = await owner.query<{ name: string }[]>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
  );
  for (const { name } of tables) await owner.query(`ALTER TABLE ${name} ADD COLUMN added_later text`);
  return tables.length;
}

interface TableFunction {
  readonly name: string;
  readonly signature: string;
  readonly types: string;
  readonly result: string;
  readonly definition: string;
  readonly parameters: number;
  readonly users: string[];
}

const TABLE_FUNCTIONS = `
  SELECT p.proname AS name, p.oid::regprocedure::text AS signature, pg_get_function_result(p.oid) AS result,
         pg_get_function_identity_arguments(p.oid) AS types, pg_get_functiondef(p.oid) AS definition,
         p.pronargs::integer AS parameters,
         ARRAY(SELECT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
                 FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
                WHERE a.privilege_type = 'EXECUTE') AS users
    FROM pg_proc p
   WHERE p.pronamespace = 'public'::regnamespace AND p.proretset AND pg_get_function_result(p.oid) LIKE 'TABLE(%'`;

/** Recreates every function that returns a table with another column, as a migration would. @returns their number */
export async function changeFunctions(owner: DataSource): Promise<number> {
  const functions = await owner.query<TableFunction[]>(TABLE_FUNCTIONS);
  for (const { name, signature, types, result, definition, parameters, users } of functions) {
    const before = `${name}_before`;
    const given = Array.from({ length: parameters }, (_, index) => `$${index + 1}`).join(', ');
    const grantees = users.join(', ');
    await owner.transaction(async (tx) => {
      await tx.query(definition.replace(`FUNCTION public.${name}(`, `FUNCTION public.${before}(`));
      await tx.query(`REVOKE ALL ON FUNCTION ${before} FROM PUBLIC`);
      await tx.query(`GRANT EXECUTE ON FUNCTION ${before} TO ${grantees}`);
      await tx.query(`DROP FUNCTION ${signature}`);
      await tx.query(
        `CREATE FUNCTION ${name}(${types}) RETURNS ${result.replace(/\)$/, ', added_later text)')}
         LANGUAGE sql AS $$ SELECT b.*, NULL::text FROM ${before}(${given}) b $$`,
      );
      await tx.query(`REVOKE ALL ON FUNCTION ${name} FROM PUBLIC`);
      await tx.query(`GRANT EXECUTE ON FUNCTION ${name} TO ${grantees}`);
    });
  }
  return functions.length;
}
