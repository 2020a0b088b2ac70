import { validate as isUuid } from 'uuid';
import { DashboardError } from '../errors/dashboard-errors.js';

/** @throws DashboardError (404) for what is no id */
export function parseId(text: string): string {
  if (!isUuid(text)) throw new DashboardError('not_found_here');
  return text.toLowerCase();
}
