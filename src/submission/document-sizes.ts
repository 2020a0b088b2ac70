import { ValidationError } from '../errors/api-error.js';
import type { Problem } from '../errors/problem.js';
import type { AcceptableDocument } from '../documents/body-rules.js';
import { buildTooLargeWith } from '../documents/document-size.js';
import type { Supplier } from '../documents/simplified-document.js';

/**
 * The few documents that are near the authority's limit are built with their issuer, whose profile decides
 * (docs/rules.md#body-rules).
 * @throws ValidationError (400) naming every document that is too large, with its size
 */
export function refuseOversized(documents: readonly AcceptableDocument[], supplier: Supplier): void {
  const problems: Problem[] = [];
  for (const [index, { document, mayBeTooLarge }] of documents.entries()) {
    const problem = mayBeTooLarge ? buildTooLargeWith(supplier, document) : null;
    if (problem !== null) problems.push({ pointer: `/documents/${index}`, ...problem });
  }
  if (problems.length === 0) return;
  throw new ValidationError(problems, (index) => documents[index]?.document.referenceId ?? null);
}
