import type { DataSource } from 'typeorm';
import type { FunctionLock, FunctionSet, FunctionSignature } from '../../src/database/function-files.js';

const SIGNATURES = `
  SELECT p.proname AS name, pg_get_function_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result,
         CASE WHEN p.prosecdef THEN 'owner' ELSE 'caller' END AS "runsAs",
         (SELECT coalesce(string_agg(r.role, ', ' ORDER BY r.role), '')
            FROM (SELECT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS role
                    FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
                   WHERE a.privilege_type = 'EXECUTE' AND a.grantee <> p.proowner) r) AS callers
    FROM pg_proc p
   WHERE p.pronamespace = 'public'::regnamespace AND p.proname = $1`;

/**
 * The lock of the functions that the database has, once their files have been applied to it.
 * @throws Error when everybody may call a function whose file does not say so: PostgreSQL's default for a new one
 */
export async function readFunctionLock(owner: DataSource, functions: FunctionSet): Promise<FunctionLock> {
  const locked: Record<string, FunctionLock['functions'][string]> = {};
  for (const { name, text, sha256 } of functions.files) {
    const found = await owner.query<(FunctionSignature & { name: string })[]>(SIGNATURES, [name]);
    if (found.length !== 1) throw new Error(`The database has ${found.length} functions ${name}`);
    const [{ arguments: given, result, runsAs, callers }] = found;
    const isMeant = text.includes(`GRANT EXECUTE ON FUNCTION ${name} TO PUBLIC;`);
    if (callers.split(', ').includes('PUBLIC') && !isMeant) {
      throw new Error(`Everybody may call ${name}: its file must have REVOKE ALL ON FUNCTION ${name} FROM PUBLIC;`);
    }
    locked[name] = { arguments: given, result, runsAs, callers, sha256 };
  }
  return { revision: functions.revision, functions: locked };
}

/**
 * What a landed build would not find any more, a sentence each.
 * @param isCalled whether that build calls a function
 */
export function findIncompatible(
  landed: FunctionLock,
  made: FunctionLock,
  isCalled: (name: string) => boolean,
): string[] {
  return Object.entries(landed.functions).flatMap(([name, was]) => {
    const is = made.functions[name];
    if (is === undefined) return isCalled(name) ? [`${name} is missing, and the landed build calls it`] : [];
    const changed = (['arguments', 'result', 'runsAs'] as const).filter((member) => is[member] !== was[member]);
    const callers = is.callers.split(', ');
    const refused = was.callers.split(', ').filter((role) => !callers.includes(role));
    return [
      ...changed.map((member) => `${name} has other ${LABELS[member]}: ${is[member]} instead of ${was[member]}`),
      ...refused.map((role) => `${name} can no longer be called by ${role}`),
    ];
  });
}

const LABELS = { arguments: 'arguments', result: 'results', runsAs: 'rights' } as const;

/** The lowest revision that is higher than that of every landed lock with other texts. */
export function computeRevision(made: FunctionLock, landed: readonly FunctionLock[]): number {
  const hashes = listHashes(made);
  return Math.max(
    made.revision,
    ...landed.map((lock) => (listHashes(lock) === hashes ? lock.revision : lock.revision + 1)),
  );
}

function listHashes({ functions }: FunctionLock): string {
  return JSON.stringify(Object.entries(functions).map(([name, { sha256 }]) => [name, sha256]));
}
