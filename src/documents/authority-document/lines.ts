import { roundProduct } from '../rounding.js';
import { type BuiltLine, lineTax } from './tax.js';
import { buildDiscount } from './totals.js';
import { FixedAttributes, type UblObject, amount, element } from './ubl.js';

/** Builds a line. The authority's errors reference the line number, which starts at 1. */
export function invoiceLine(built: BuiltLine, number: number): UblObject {
  const { line, codes } = built;
  const from = `/lineItems/${number - 1}`;
  const classificationFrom = codes.isClassificationFixed ? null : `${from}/classification`;
  return {
    ID: element(String(number), from),
    InvoicedQuantity: element(line.quantity, `${from}/quantity`, {
      unitCode: { value: codes.unitCode, from: `${from}/unitCode` },
    }),
    LineExtensionAmount: amount(line.lineTotal, `${from}/lineTotal`),
    AllowanceCharge: buildDiscount(line.discount, 'Line discount', `${from}/discount`),
    TaxTotal: lineTax(built, from),
    Item: [
      {
        CommodityClassification: [
          { ItemClassificationCode: element(codes.classification, classificationFrom, CLASSIFICATION_LIST) },
        ],
        Description: element(line.description, `${from}/description`),
      },
    ],
    Price: [{ PriceAmount: amount(line.unitPrice, `${from}/unitPrice`) }],
    ItemPriceExtension: [{ Amount: amount(roundProduct(line.quantity, line.unitPrice), from) }],
  };
}

const CLASSIFICATION_LIST = new FixedAttributes({ listID: 'CLASS' });
