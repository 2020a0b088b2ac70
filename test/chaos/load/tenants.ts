import type { Client } from 'pg';
import { insertTenant, type TestTenant } from '../../support/tenants.js';

export interface ChaosTenant extends TestTenant {
  readonly tin: string;
}

/** Maps every second pair of organisations to one number, so that the pair shares TIN and document numbers. */
export function findTwin(number: number): number {
  return number % 4 === 3 ? number - 1 : number;
}

/** Creates a tenant with a complete profile, a sandbox key and credits. */
export async function createTenant(owner: Client, number: number, credits: number): Promise<ChaosTenant> {
  const tin = `C${200_000_000 + findTwin(number)}0`;
  const tenant = await insertTenant(owner, { credits, profile: { tin, name: `Kedai Contoh ${number} Sdn Bhd` } });
  return { ...tenant, tin };
}
