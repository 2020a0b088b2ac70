import type { Environment } from '../../config/environment.js';
import { nameBulkField } from './bulk-fields.js';
import type { JobRow } from './bulk-jobs.sql.js';

/** A job as its entries in the audit log describe it. */
export function describeJob(
  environment: Environment,
  { kind, field, value, documents, counts, chargedCredits }: JobRow,
): Record<string, unknown> {
  const { ready, done, changed, failed, refused } = counts;
  return {
    environment,
    kind,
    ...(field === null ? { reason: value } : { field: nameBulkField(field), value }),
    documents,
    results: { ready, done, changed, failed, refused },
    credits: chargedCredits,
  };
}
