import { parseJsonText } from '../common/parse-json-text.js';
import { needsDefaultTaxType, TAX_EXEMPT } from '../documents/authority-document/line-defaults.js';
import { findSizeProblemWith } from '../documents/document-size.js';
import type { SimplifiedDocument, Supplier } from '../documents/simplified-document.js';
import { PROBLEMS_MAX } from '../errors/api-error.js';
import type { Problem } from '../errors/problem.js';
import type { PreparedDocument } from './prepare-submit.js';

type Judged = Pick<PreparedDocument, 'payload' | 'mayBeTooLarge'>;

/** Identifier of the rule. */
export const LINE_TAX_TYPE_REQUIRED = 'line_tax_type_required';

/**
 * What the issuer's profile breaks in its documents (docs/rules.md#order-of-checks): the lines whose type of tax it
 * leaves open, else the documents that are too large with it. PROBLEMS_MAX at most.
 */
export function judgeWithSupplier(documents: readonly Judged[], supplier: Supplier): readonly Problem[] {
  const untyped = supplier.defaultTaxType === TAX_EXEMPT ? findUntypedTax(documents) : [];
  return untyped.length > 0 ? untyped : findOversized(documents, supplier);
}

/** Whether `judgeWithSupplier` can find anything: no for nearly all submits. */
export function mustJudgeWith(documents: readonly Judged[], { defaultTaxType }: Supplier): boolean {
  return defaultTaxType === TAX_EXEMPT || documents.some(({ mayBeTooLarge }) => mayBeTooLarge);
}

/**
 * No profile can choose the type `E` any more, but one that has it would make a charged tax an exempted one, without
 * its reason (docs/rules.md#amounts).
 */
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
 * The few documents that are near the authority's limit are built with their issuer, whose profile decides
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
