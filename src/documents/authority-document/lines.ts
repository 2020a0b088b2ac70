import { decimalOf } from '../../common/decimal.js';
import type { LineItem } from '../simplified-document.js';
import { roundMoney } from '../totals.js';
import type { LineCodes } from './line-defaults.js';
import { lineTax } from './tax.js';
import { discountOf } from './totals.js';
import { type UblNode, amount, element } from './ubl.js';

/** Line `number` counts from 1 in the caller's order, so that the authority's errors lead back to the caller's line. */
export function invoiceLine(line: LineItem, codes: LineCodes, number: number): UblNode {
  const quantity = decimalOf(line.quantity);
  const unitPrice = decimalOf(line.unitPrice);
  return {
    ID: element(String(number)),
    InvoicedQuantity: element(quantity, { unitCode: codes.unitCode }),
    LineExtensionAmount: amount(decimalOf(line.lineTotal)),
    AllowanceCharge: discountOf(line.discount, 'Line discount'),
    TaxTotal: lineTax(line, codes),
    Item: [
      {
        CommodityClassification: [{ ItemClassificationCode: element(codes.classification, { listID: 'CLASS' }) }],
        Description: element(line.description),
      },
    ],
    Price: [{ PriceAmount: amount(unitPrice) }],
    // Money, so two decimals; the unit price keeps the caller's.
    ItemPriceExtension: [{ Amount: amount(roundMoney(quantity.times(unitPrice))) }],
  };
}
