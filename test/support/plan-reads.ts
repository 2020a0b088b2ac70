import type pg from 'pg';

interface PlanNode {
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

interface Measured {
  readonly tenantId: string;
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** Executes a statement and returns the number of rows read per index, or per table in case of a table scan. */
export async function countPlanReads(
  client: pg.Client,
  { tenantId, text, parameters }: Measured,
): Promise<Map<string, number>> {
  await client.query('BEGIN');
  await client.query(`SELECT set_config('app.tenant_id', $1, true)`, [tenantId]);
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
    [...parameters],
  );
  await client.query('ROLLBACK');
  const reads = new Map<string, number>();
  const visit = (node: PlanNode): void => {
    const name = node['Index Name'] ?? node['Relation Name'];
    const read = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
    if (name !== undefined) reads.set(name, (reads.get(name) ?? 0) + read);
    node.Plans?.forEach(visit);
  };
  visit(rows[0]['QUERY PLAN'][0].Plan);
  return reads;
}
