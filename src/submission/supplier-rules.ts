import { parseJsonText } from '../common/parse-json-text.js';
import { needsDefaultTaxType, TAX_EXEMPT } from '../documents/authority-document/line-defaults.js';
import { findSizeProblemWith } from '../documents/document-size.js';
import type { SimplifiedDocument, Supplier } from '../documents/simplified-document.js';
import { PROBLEMS_MAX } from '../errors/api-error.js';
import type { Problem } from '../errors/problem.js';
import type { PreparedDocument } from './prepare-submit.js';

type Judged = Pick<PreparedDocument, 'payload' | 'mayBeTooLarge'>;

export const LINE_TAX_TYPE_REQUIRED = 'line_tax_type_required';

/** Returns the problems of documents that depend on the issuer's profile (docs/rules.md#order-of-checks). */
export function judgeWithSupplier(documents: readonly Judged[], supplier: Supplier): readonly Problem[] {
  const untyped = supplier.defaultTaxType === TAX_EXEMPT ? findUntypedTax(documents) : [];
  return untyped.length > 0 ? untyped : findOversized(documents, supplier);
}

/** Returns whether `judgeWithSupplier` may find a problem, which is rare. */
export function mustJudgeWith(documents: readonly Judged[], { defaultTaxType }: Supplier): boolean {
  return defaultTaxType === TAX_EXEMPT || documents.some(({ mayBeTooLarge }) => mayBeTooLarge);
}

/** An old profile with the default tax type `E` would turn a charged tax into an exemption (docs/rules.md#amounts). */
function findUntypedTax(documents: readonly Judged[]): readonly Problem[] {
  const problems: Problem[] = [];
  for (const [index, { payload }] of documents.entries()) {
    for (const [position, line] of readPayload(payload).lineItems.entries()) {
      if (problems.length === PROBLEMS_MAX) return problems;
      if (!needsDefaultTaxType(line)) continue;
      problems.push({ pointer: `/documents/${index}/lineItems/${position}/taxType`, ...REQUIRED });
    }
  }
  return problems;
}

const REQUIRED = {
  rule: LINE_TAX_TYPE_REQUIRED,
  message: "is required: the profile's default tax type is E, which is for lines that state their exemption",
  hint: "send the type of the tax, such as 01; or change the profile's default tax type",
};

/**
 * Builds the few documents near the authority's size limit, because their size depends on the issuer
 * (docs/rules.md#body-rules).
 */
function findOversized(documents: readonly Judged[], supplier: Supplier): readonly Problem[] {
  return documents.flatMap(({ payload, mayBeTooLarge }, index) => {
    const problem = mayBeTooLarge ? findSizeProblemWith(supplier, readPayload(payload)) : null;
    return problem === null ? [] : [{ pointer: `/documents/${index}`, ...problem }];
  });
}

function readPayload(payload: string): SimplifiedDocument {
  return parseJsonText(payload) as SimplifiedDocument;
}
