import { until } from '../support/until.js';
import type { PatroniCluster } from './patroni-cluster.js';

/** Until a round has its effect: the longest that the database may be away, by Patroni's `ttl`. */
const EFFECT_MS_MAX = 60_000;

/** What strikes once. */
interface Kind {
  /** Resolves once it has had its effect. @returns what starts again or reconnects what was lost */
  readonly strike: (database: PatroniCluster) => Promise<() => void>;
  /** Until clients have accepted submits again. */
  readonly secondsMax?: { readonly median?: number; readonly each?: number };
}

const nothing = (): void => undefined;

/** Waits until another server leads than did before. */
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

/** In the order in which they are played. */
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
