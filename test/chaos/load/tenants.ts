import type { Client } from 'pg';
import { insertTenant, type TestTenant } from '../../support/tenants.js';

export interface ChaosTenant extends TestTenant {
  readonly tin: string;
}

/** A tenant with a complete profile, a sandbox key and so many credits. */
export async function createTenant(owner: Client, number: number, credits: number): Promise<ChaosTenant> {
  const tin = `C${200_000_000 + number}0`;
  const tenant = await insertTenant(owner, { credits, profile: { tin, name: `Kedai Contoh ${number} Sdn Bhd` } });
  return { ...tenant, tin };
}
