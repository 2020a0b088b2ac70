import type { LineItem, SimplifiedDocument, Supplier } from '../simplified-document.js';

export const TAX_EXEMPT = 'E';
export const TAX_NOT_APPLICABLE = '06';
export const CLASSIFICATION_CONSOLIDATED = '004';
const CLASSIFICATION_OTHERS = '022';

export const UNIT_ONE = 'C62';

export interface LineCodes {
  readonly taxType: string;
  /** Null except for tax type `E`. */
  readonly taxExemptionReason: string | null;
  readonly classification: string;
  readonly isClassificationFixed: boolean;
  readonly unitCode: string;
}

/** An explicit rate is a tax, even if the tax rounds to 0 (docs/rules.md#authority-document). */
export function needsDefaultTaxType({ taxType, taxAmount, taxRate = 0 }: LineItem): boolean {
  return taxType === null && (taxAmount !== 0 || taxRate !== 0);
}

/** Returns the codes of the line, or their defaults (docs/rules.md#authority-document). */
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
