import type { Client } from 'pg';
import type { Cluster, ClusterDatabase } from '../cluster/cluster.js';
import type { History } from '../load/history.js';
import type { ChaosTenant } from '../load/tenants.js';
import { checkShared, checkTenant } from './checks.js';
import { collectTenant, groupWire, statusesAtAuthority } from './collect.js';
import { CHECKS, type CheckName, type Finding, type SharedEvidence, type WireDocument } from './evidence.js';

export interface Verdict {
  readonly findings: readonly Finding[];
  readonly wireDocuments: number;
}

/** Runs all checks after a run. Only one tenant's evidence is in memory at a time. */
export async function judge(
  cluster: Cluster<ClusterDatabase>,
  {
    tenants,
    history,
    since,
    shared,
  }: { tenants: readonly ChaosTenant[]; history: History; since: Date; shared: SharedEvidence },
): Promise<Verdict> {
  const findings: Finding[] = checkShared(shared);
  const wireByTin = await groupWire(cluster.simulator.wireLog());
  const first = new Map(tenants.toReversed().map(({ tenantId, tin }) => [tin, tenantId]));
  const client: Client = await cluster.connect();
  try {
    for (const { tenantId, tin } of tenants) {
      const span = { from: since, to: new Date(Date.now() + CLOCK_MARGIN_MS) };
      const statusByUuid = await statusesAtAuthority(cluster.simulator.url, {
        clientId: cluster.clientId,
        tin,
        ...span,
      });
      const wire = await ownDocuments(client, wireByTin.get(tin) ?? [], {
        tenantId,
        isFirst: first.get(tin) === tenantId,
      });
      findings.push(...checkTenant(await collectTenant(client, history, { tenantId, wire, statusByUuid })));
    }
  } finally {
    await client.end();
  }
  const wireDocuments = [...wireByTin.values()].reduce((sum, { length }) => sum + length, 0);
  return { findings, wireDocuments };
}

const CLOCK_MARGIN_MS = 60_000;

/**
 * Selects the tenant's documents from those of its TIN, which several tenants may share. Unknown documents belong to
 * the first tenant.
 */
async function ownDocuments(
  client: Client,
  documents: readonly WireDocument[],
  { tenantId, isFirst }: { tenantId: string; isFirst: boolean },
): Promise<WireDocument[]> {
  const { rows } = await client.query<{ sha256: string; tenantId: string }>(
    'SELECT sha256, tenant_id AS "tenantId" FROM authority_document WHERE sha256 = ANY ($1)',
    [documents.map(({ sha256 }) => sha256)],
  );
  const owners = new Map(rows.map((row) => [row.sha256, row.tenantId]));
  return documents.filter(({ sha256 }) => (owners.get(sha256) ?? (isFirst ? tenantId : null)) === tenantId);
}

export function countFindings(findings: readonly Finding[]): Record<CheckName, number> {
  const counts = Object.fromEntries(CHECKS.map((check) => [check, 0])) as Record<CheckName, number>;
  for (const { check } of findings) counts[check] += 1;
  return counts;
}

/** Formats the counts as `lost 0 duplicated 0 …`, in the order of the checks. */
export function asLine(findings: readonly Finding[]): string {
  return Object.entries(countFindings(findings))
    .map(([check, count]) => `${check} ${count}`)
    .join(' ');
}
