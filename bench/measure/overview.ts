import { CreditsService } from '../../src/credits/credits.service.js';
import { OverviewService } from '../../src/dashboard-api/overview/overview.service.js';
import type { TenantTransactions } from '../../src/database/in-tenant.js';
import { median } from './statistics.js';

const ROUNDS = 120;
const WARM_UP_ROUNDS = 20;
const OVERVIEW_DAYS = 90;

/** Measures the read of the dashboard's home page in milliseconds. */
export async function measureOverview(transactions: TenantTransactions, tenantId: string): Promise<number> {
  const overview = new OverviewService(transactions, new CreditsService());
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    await overview.read({ tenantId, environment: 'sandbox' }, OVERVIEW_DAYS);
    times.push(performance.now() - startedAt);
  }
  return median(times.slice(WARM_UP_ROUNDS));
}
