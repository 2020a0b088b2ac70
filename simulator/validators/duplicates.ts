import { getStatus } from '../documents.js';
import { hasDuplicateRule } from '../settings.js';
import type { ArchiveValidator } from './validator.js';

const windowMs = 2 * 60 * 60_000;

/** Rejects a document whose type, version, issue time, number and issuer equal those of one in the last two hours. */
export const validateDuplicates: ArchiveValidator = (document, { archive, settings }) => {
  if (!hasDuplicateRule(settings, 'documents')) return [];
  const candidates = archive.sameAs(document);
  const earlier = candidates
    .slice(0, candidates.indexOf(document))
    .filter((other) => settings.duplicatesOfInvalid || getStatus(other) !== 'Invalid')
    .find((other) => document.receivedAt - other.receivedAt <= windowMs);
  if (!earlier) return [];
  return [{ code: settings.duplicateCode, message: describeDuplicate(document.uuid, earlier.uuid), path: 'document' }];
};

/** Returns the authority's message with the ids of both documents. */
export function describeDuplicate(uuid: string, earlierUuid: string): string {
  return (
    `Duplicated submitted document with UUID ${uuid} where the values of configured attributes match with ` +
    `values for the document with UUID: ${earlierUuid}`
  );
}
