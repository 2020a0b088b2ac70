import type { EntityManager } from 'typeorm';

// The winner of two replicas is whose UPDATE finds the row old enough. No lock is held while the task runs.
const CLAIM_TURN = /* sql */ `
  INSERT INTO housekeeping_task AS task (name, last_run_at) VALUES ($1, service_now())
  ON CONFLICT (name) DO UPDATE SET last_run_at = excluded.last_run_at
   WHERE task.last_run_at < excluded.last_run_at - make_interval(secs => $2)
  RETURNING name`;

/**
 * Takes the turn of a periodic task, whose timer fires on every replica of the dispatcher.
 * @param intervalSeconds until the next turn; shorter than the timer's period, since timers drift
 * @returns whether this replica is to run the task
 */
export async function claimTurn(manager: EntityManager, name: string, intervalSeconds: number): Promise<boolean> {
  return (await manager.query<unknown[]>(CLAIM_TURN, [name, intervalSeconds])).length > 0;
}
