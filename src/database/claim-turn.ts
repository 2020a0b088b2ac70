import type { EntityManager } from 'typeorm';

// Only one replica finds the row old enough. The task runs without a lock.
const CLAIM_TURN = /* sql */ `
  INSERT INTO housekeeping_task AS task (name, last_run_at) VALUES ($1, service_now())
  ON CONFLICT (name) DO UPDATE SET last_run_at = excluded.last_run_at
   WHERE task.last_run_at < excluded.last_run_at - make_interval(secs => $2)
  RETURNING name`;

/**
 * Claims the next run of a periodic task, whose timer fires on every dispatcher.
 * @param intervalSeconds minimum time between runs; shorter than the timer's period because timers drift
 * @returns whether this replica must run the task
 */
export async function claimTurn(manager: EntityManager, name: string, intervalSeconds: number): Promise<boolean> {
  return (await manager.query<unknown[]>(CLAIM_TURN, [name, intervalSeconds])).length > 0;
}
