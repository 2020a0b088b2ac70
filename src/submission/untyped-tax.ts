import { ValidationError } from '../errors/api-error.js';
import type { Problem } from '../errors/problem.js';
import { TAX_EXEMPT, needsDefaultTaxType } from '../documents/authority-document/line-defaults.js';
import type { AcceptableDocument } from '../documents/body-rules.js';
import type { Supplier } from '../documents/simplified-document.js';

/** Identifier of the rule. */
export const LINE_TAX_TYPE_REQUIRED = 'line_tax_type_required';

/**
 * No profile can choose the type `E` any more, but one that has it would make a charged tax an exempted one, without
 * its reason (docs/rules.md#amounts).
 * @throws ValidationError (400) naming every line whose type is left to such a profile
 */
export function refuseUntypedTax(documents: readonly AcceptableDocument[], { defaultTaxType }: Supplier): void {
  if (defaultTaxType !== TAX_EXEMPT) return;
  const problems: Problem[] = documents.flatMap(({ document }, index) =>
    document.lineItems.flatMap((line, position) =>
      needsDefaultTaxType(line) ? [{ pointer: `/documents/${index}/lineItems/${position}/taxType`, ...REQUIRED }] : [],
    ),
  );
  if (problems.length === 0) return;
  throw new ValidationError(problems, (index) => documents[index]?.document.referenceId ?? null);
}

const REQUIRED = {
  rule: LINE_TAX_TYPE_REQUIRED,
  message: "is required: the profile's default tax type is E, which is for lines that state their exemption",
  hint: "send the type of the tax, such as 01; or change the profile's default tax type",
};
