import { type CodeList, codeLists } from '../code-lists.js';
import type { ValidationFinding } from '../documents.js';
import { type UblNode, readAttribute, nodesAt } from '../ubl.js';
import { validateStates } from './states.js';
import { type ContentValidator, toPropertyPath } from './validator.js';

interface CodeRule {
  elements: string;
  list: CodeList;
  /** Attribute that contains the code. Defaults to the element's value. */
  attribute?: string;
  /** Required `listID`, for an element with codes of several lists. */
  listId?: string;
}

const parties = ['AccountingSupplierParty.Party', 'AccountingCustomerParty.Party', 'Delivery.DeliveryParty'];
const taxCategories = ['TaxTotal.TaxSubtotal.TaxCategory.ID', 'InvoiceLine.TaxTotal.TaxSubtotal.TaxCategory.ID'];

const codeRules: CodeRule[] = [
  ...parties.map((party) => ({
    elements: `${party}.PostalAddress.Country.IdentificationCode`,
    list: codeLists.countries,
  })),
  { elements: 'AccountingSupplierParty.Party.IndustryClassificationCode', list: codeLists.industries },
  { elements: 'DocumentCurrencyCode', list: codeLists.currencies },
  { elements: 'TaxCurrencyCode', list: codeLists.currencies },
  ...taxCategories.map((elements) => ({ elements, list: codeLists.taxTypes })),
  {
    elements: 'InvoiceLine.Item.CommodityClassification.ItemClassificationCode',
    list: codeLists.classifications,
    listId: 'CLASS',
  },
  { elements: 'InvoiceLine.Item.OriginCountry.IdentificationCode', list: codeLists.countries },
  { elements: 'InvoiceLine.InvoicedQuantity', list: codeLists.units, attribute: 'unitCode' },
  { elements: 'PaymentMeans.PaymentMeansCode', list: codeLists.paymentMethods },
];

export const validateCodes: ContentValidator = (subject, settings) => [
  ...codeRules.flatMap((rule) => checkRule(subject.invoice, rule)),
  ...validateStates(subject, settings),
];

/** Skips blank codes, because the core field checks have already rejected missing mandatory codes. */
function checkRule(invoice: UblNode, { elements, list, attribute = '_', listId }: CodeRule): ValidationFinding[] {
  const unknown = new Set<string>();
  for (const node of nodesAt(invoice, elements)) {
    if (listId !== undefined && readAttribute(node, 'listID') !== listId) continue;
    const code = readAttribute(node, attribute);
    if (code !== '' && !list.codes.has(code)) unknown.add(code);
  }
  return Array.from(unknown, (code) => notInList(code, list, toPropertyPath(elements, attribute)));
}

function notInList(code: string, list: CodeList, path: string): ValidationFinding {
  return { code: 'CV302', message: `ItemCode ${code} does not exist in CodeType ${list.name}`, path };
}
