import type { EntityManager } from 'typeorm';
import type { Environment } from '../../config/environment.js';

/**
 * Reasons why documents of all organisations wait. An outage is derived from the dispatchers' own tables: a process that
 * crashes could not close an outage in a separate table.
 */
export const OUTAGE_CODES = ['not_running', 'client_refused', 'authority_unavailable', 'call_budget'] as const;
export type OutageCode = (typeof OUTAGE_CODES)[number];

/** What an outage may stop: sending, outcomes of what was sent, cancellations. */
export const STOPPED_PARTS = ['send', 'outcome', 'cancel'] as const;
export type StoppedPart = (typeof STOPPED_PARTS)[number];

export interface Outage {
  /** Null: both. */
  readonly environment: Environment | null;
  readonly code: OutageCode;
  readonly since: Date;
  /** When it ends as far as that is known: the authority has asked for a pause. */
  readonly until: Date | null;
  readonly stops: StoppedPart[];
}

const OUTAGES = /* sql */ `SELECT environment, code, since, until, stops FROM find_outages()`;

/** The current outages, the most serious first. */
export function readOutages(manager: EntityManager): Promise<Outage[]> {
  return manager.query<Outage[]>(OUTAGES);
}

export function isOutageIn({ environment }: Outage, served: Environment): boolean {
  return environment === null || environment === served;
}
