import type { EntityManager } from 'typeorm';
import type { Environment } from '../../config/environment.js';

/** Outages are derived from the dispatchers' tables, because a crashed process could not end a stored outage. */
export const OUTAGE_CODES = ['not_running', 'client_refused', 'authority_unavailable', 'call_budget'] as const;
export type OutageCode = (typeof OUTAGE_CODES)[number];

export const STOPPED_PARTS = ['send', 'outcome', 'cancel'] as const;
export type StoppedPart = (typeof STOPPED_PARTS)[number];

export interface Outage {
  readonly environment: Environment | null;
  readonly code: OutageCode;
  readonly since: Date;
  /** End of the pause that the authority asked for, or null. */
  readonly until: Date | null;
  readonly stops: StoppedPart[];
}

const OUTAGES = /* sql */ `SELECT environment, code, since, until, stops FROM find_outages()`;

export function readOutages(manager: EntityManager): Promise<Outage[]> {
  return manager.query<Outage[]>(OUTAGES);
}

export function isOutageIn({ environment }: Outage, served: Environment): boolean {
  return environment === null || environment === served;
}
