import { getStatus } from '../documents.js';
import { hasDuplicateRule } from '../settings.js';
import type { ArchiveValidator } from './validator.js';

const windowMs = 2 * 60 * 60_000;

/**
 * The same type, version, issue instant, number and issuer within two hours. A document that is already invalid does
 * not stand in the way of its repetition.
 */
export const validateDuplicates: ArchiveValidator = (document, { archive, settings }) => {
  if (!hasDuplicateRule(settings, 'documents')) return [];
  const candidates = archive.sameAs(document);
  const earlier = candidates
    .slice(0, candidates.indexOf(document))
    .find((other) => document.receivedAt - other.receivedAt <= windowMs && getStatus(other) !== 'Invalid');
  if (!earlier) return [];
  return [{ code: settings.duplicateCode, message: describeDuplicate(document.uuid, earlier.uuid), path: 'document' }];
};

/** The authority's text, which names both documents. */
export function describeDuplicate(uuid: string, earlierUuid: string): string {
  return (
    `Duplicated submitted document with UUID ${uuid} where the values of configured attributes match with ` +
    `values for the document with UUID: ${earlierUuid}`
  );
}
