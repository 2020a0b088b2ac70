import { toDecimal, toRinggit, toSen } from '../../common/decimal.js';
import { LINE_TEXTS } from '../../documents/dto/line-item.dto.js';
import type { LineItem, SimplifiedDocument } from '../../documents/simplified-document.js';
import { computeTax } from '../../documents/tax-percent.js';
import { computeLineTotal } from '../../documents/totals.js';

/** Allowed difference between a stated and a computed amount (docs/rules.md#amounts). */
const TOLERANCE_SEN = 1;

/**
 * Subtracts credit notes from their invoice, line by line.
 * @returns the invoice with the remaining lines and amounts; null if a credit note does not only credit quantities of
 *   the invoice's lines, because the remaining lines are then unknown
 */
export function subtractNotes(
  invoice: SimplifiedDocument,
  notes: readonly SimplifiedDocument[],
): SimplifiedDocument | null {
  const lineItems = [...invoice.lineItems];
  let { totalDiscountAmount, totalRoundingAmount } = invoice;
  for (const note of notes) {
    totalDiscountAmount = subtract(totalDiscountAmount, note.totalDiscountAmount);
    totalRoundingAmount = subtract(totalRoundingAmount, note.totalRoundingAmount);
    for (const credited of note.lineItems) {
      const index = lineItems.findIndex((line) => isSameItem(line, credited) && line.quantity >= credited.quantity);
      if (index === -1) return null;
      lineItems[index] = subtractLine(lineItems[index], credited);
    }
  }
  const left = { ...invoice, lineItems: lineItems.filter(({ quantity }) => quantity > 0), totalDiscountAmount };
  const isPlausible = lineItems.every(isPlausibleRest) && left.lineItems.length > 0 && totalDiscountAmount >= 0;
  return isPlausible ? { ...left, totalRoundingAmount } : null;
}

const ITEM_MEMBERS = ['description', 'unitPrice', ...LINE_TEXTS] as const;

// The rest of a tax per unit or of an exempted tax depends on more than the quantity.
function isSameItem(line: LineItem, credited: LineItem): boolean {
  const isPlain = [line, credited].every((one) => one.unitTax === undefined && one.exemptedTaxAmount === undefined);
  return isPlain && ITEM_MEMBERS.every((name) => line[name] === credited[name]);
}

function subtractLine(line: LineItem, credited: LineItem): LineItem {
  return {
    ...line,
    quantity: Number(toDecimal(line.quantity).minus(toDecimal(credited.quantity))),
    discount: subtract(line.discount, credited.discount),
    lineTotal: subtract(line.lineTotal, credited.lineTotal),
    taxAmount: subtract(line.taxAmount, credited.taxAmount),
  };
}

/** Whether the rest of a line is empty or would be accepted by the service. */
function isPlausibleRest(line: LineItem): boolean {
  const { quantity, discount, lineTotal, taxAmount, taxRate } = line;
  if (quantity === 0) return discount === 0 && lineTotal === 0 && taxAmount === 0;
  const isTotalClose = isClose(lineTotal, computeLineTotal(line));
  const isTaxClose = taxRate === undefined || isClose(taxAmount, computeTax(lineTotal, taxRate));
  return isTotalClose && isTaxClose && discount >= 0 && lineTotal >= 0 && taxAmount >= 0;
}

function isClose(stated: number, computed: number): boolean {
  return Math.abs(toSen(stated) - toSen(computed)) <= TOLERANCE_SEN;
}

function subtract(amount: number, less: number): number {
  return toRinggit(toSen(amount) - toSen(less));
}
