import type { Client } from 'pg';
import { insertTenant, type TestTenant } from '../../support/tenants.js';

export interface ChaosTenant extends TestTenant {
  readonly tin: string;
}

/** Every second pair of organisations represents one taxpayer, and numbers its documents alike. */
export function findTwin(number: number): number {
  return number % 4 === 3 ? number - 1 : number;
}

/** A tenant with a complete profile, a sandbox key and so many credits. */
export async function createTenant(owner: Client, number: number, credits: number): Promise<ChaosTenant> {
  const tin = `C${200_000_000 + findTwin(number)}0`;
  const tenant = await insertTenant(owner, { credits, profile: { tin, name: `Kedai Contoh ${number} Sdn Bhd` } });
  return { ...tenant, tin };
}
