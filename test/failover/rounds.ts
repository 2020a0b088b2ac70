import { until } from '../support/until.js';
import type { PatroniCluster } from './patroni-cluster.js';

/** Longest failover of the database. */
const EFFECT_MS_MAX = 60_000;

/** Kind of failure. */
interface Kind {
  /** Injects the failure and waits for its effect. @returns a function that repairs the failure */
  readonly strike: (database: PatroniCluster) => Promise<() => void>;
  /** Limits of the outage in seconds. */
  readonly secondsMax?: { readonly median?: number; readonly each?: number };
}

const nothing = (): void => undefined;

/** Waits until a server other than `before` is the leader. */
async function untilAnotherLeads(database: PatroniCluster, before: string): Promise<void> {
  const hasMoved = async (): Promise<boolean> => (await database.findByRole('leader')).name !== before;
  await until('another server leads', hasMoved, EFFECT_MS_MAX);
}

const NAMES = [
  'killed-primary',
  'cut-primary',
  'switchover',
  'lost-standby',
  'lost-etcd-leader',
  'reloaded-haproxy',
] as const;
export type KindName = (typeof NAMES)[number];

/** Kinds in the order of the rounds. */
export const KIND_NAMES: readonly KindName[] = NAMES;

export const KINDS: Readonly<Record<KindName, Kind>> = {
  'killed-primary': {
    secondsMax: { median: 15 },
    strike: async (database) => {
      const primary = await database.findByRole('leader');
      await primary.kill('postgres');
      await untilAnotherLeads(database, primary.name);
      return nothing;
    },
  },
  'cut-primary': {
    secondsMax: { each: 40 },
    strike: async (database) => {
      const primary = await database.findByRole('leader');
      primary.cut();
      await untilAnotherLeads(database, primary.name);
      return () => primary.heal();
    },
  },
  switchover: {
    strike: async (database) => {
      const primary = await database.findByRole('leader');
      await database.switchover(primary, await database.findByRole('sync_standby'));
      await untilAnotherLeads(database, primary.name);
      return nothing;
    },
  },
  'lost-standby': {
    strike: async (database) => {
      const standby = await database.findByRole('sync_standby');
      await standby.kill('patroni', 'postgres');
      return () => database.startPatroni(standby);
    },
  },
  'lost-etcd-leader': {
    strike: async (database) => {
      const leader = await database.findEtcdLeader();
      await leader.kill('etcd');
      return () => database.startEtcd(leader);
    },
  },
  'reloaded-haproxy': {
    strike: (database) => {
      database.reloadHaproxy();
      return Promise.resolve(nothing);
    },
  },
};
