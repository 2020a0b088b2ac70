import { describe, expect, it } from 'vitest';
import type { Caller } from '../database/in-tenant.js';
import { RECENT_MS, RecentTenants } from './recent-tenants.js';

const CALLER: Caller = { tenantId: 'one', environment: 'sandbox' };
const READ = { tenant: { name: 'One' }, now: new Date('2026-11-22T12:00:00.000Z') };

describe('a tenant that was read', () => {
  it('stands for two seconds, with the time that the clock of the database shows by then', () => {
    const { recent, clock } = rememberOne();
    clock.now += RECENT_MS - 1;
    expect(recent.find(CALLER)).toEqual({ tenant: READ.tenant, now: new Date(READ.now.getTime() + RECENT_MS - 1) });
    clock.now += 1;
    expect(recent.find(CALLER)).toBeUndefined();
    expect(RECENT_MS).toBe(2_000);
  });

  it('stands for no other tenant and for no other environment', () => {
    const { recent } = rememberOne();
    expect(recent.find({ ...CALLER, tenantId: 'two' })).toBeUndefined();
    expect(recent.find({ ...CALLER, environment: 'production' })).toBeUndefined();
  });
});

function rememberOne(): { recent: RecentTenants; clock: { now: number } } {
  const clock = { now: 1_000 };
  const recent = new RecentTenants(() => clock.now);
  recent.remember(CALLER, READ);
  return { recent, clock };
}
