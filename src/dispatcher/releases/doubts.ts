import type { EntityManager } from 'typeorm';
import type { Environment } from '../../config/environment.js';
import { HAS_NO_OUTCOME, IS_TO_DECIDE } from './release-decisions.js';

/** Calls of one environment that an operator must look at. */
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

/** Reads calls in doubt that an operator can decide. */
export function readDoubtsToDecide(manager: EntityManager): Promise<DoubtsToDecide[]> {
  return manager.query<DoubtsToDecide[]>(READ);
}

const READ_WITHOUT_OUTCOME = /* sql */ `
  SELECT s.environment, count(*)::integer AS calls, min(s.sent_at) AS since FROM authority_submission s
   WHERE ${HAS_NO_OUTCOME}
     AND EXISTS (SELECT FROM document_transaction t
                  WHERE t.tenant_id = s.tenant_id AND t.authority_submission_id = s.id AND t.authority_status = 'Submitted')
   GROUP BY s.environment ORDER BY s.environment`;

/** Reads accepted calls whose outcome no poll has shown for an hour. */
export function readCallsWithoutOutcome(manager: EntityManager): Promise<DoubtsToDecide[]> {
  return manager.query<DoubtsToDecide[]>(READ_WITHOUT_OUTCOME);
}
