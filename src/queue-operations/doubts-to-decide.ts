import type { EntityManager } from 'typeorm';
import type { Environment } from '../config/environment.js';
import { IS_TO_DECIDE } from './release-decisions.js';

/** Calls in doubt of one environment that an operator can decide. */
export interface DoubtsToDecide {
  readonly environment: Environment;
  readonly calls: number;
  /** When the oldest of these calls was first sent. */
  readonly since: Date;
}

const READ = /* sql */ `
  SELECT s.environment, count(*)::integer AS calls, min(s.sent_at) AS since FROM authority_submission s
   WHERE s.state = 'unknown' AND ${IS_TO_DECIDE}
   GROUP BY s.environment ORDER BY s.environment`;

export function readDoubtsToDecide(manager: EntityManager): Promise<DoubtsToDecide[]> {
  return manager.query<DoubtsToDecide[]>(READ);
}
