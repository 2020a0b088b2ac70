import type { LineItem, SimplifiedDocument, Supplier } from '../simplified-document.js';

export const TAX_EXEMPT = 'E';
export const TAX_NOT_APPLICABLE = '06';
export const CLASSIFICATION_CONSOLIDATED = '004';
const CLASSIFICATION_OTHERS = '022';

export const UNIT_ONE = 'C62';

/** What the authority needs of a line and the caller may leave out. */
export interface LineCodes {
  readonly taxType: string;
  /** Only of the tax type `E`, which alone may carry it. */
  readonly taxExemptionReason: string | null;
  readonly classification: string;
  /** Whether the rule decides the classification, whatever the line says. */
  readonly isClassificationFixed: boolean;
  readonly unitCode: string;
}

/**
 * Whether the issuer's profile decides the type of a line's tax (docs/rules.md#authority-document). A stated rate is a
 * tax, even if it rounds to 0.
 */
export function needsDefaultTaxType({ taxType, taxAmount, taxRate = 0 }: LineItem): boolean {
  return taxType === null && (taxAmount !== 0 || taxRate !== 0);
}

/**
 * The line's own codes, else the rule's or the tenant's (docs/rules.md#authority-document). A consolidated line is
 * always `004`, as the authority asks.
 */
export function chooseLineCodes(line: LineItem, document: SimplifiedDocument, supplier: Supplier): LineCodes {
  const taxType = line.taxType ?? (needsDefaultTaxType(line) ? supplier.defaultTaxType : TAX_NOT_APPLICABLE);
  const isConsolidated = document.submissionType === 'consolidated';
  return {
    taxType,
    taxExemptionReason: taxType === TAX_EXEMPT ? line.taxExemptionReason : null,
    classification: isConsolidated
      ? CLASSIFICATION_CONSOLIDATED
      : (line.classification ?? supplier.defaultClassification ?? CLASSIFICATION_OTHERS),
    isClassificationFixed: isConsolidated,
    unitCode: line.unitCode ?? UNIT_ONE,
  };
}
