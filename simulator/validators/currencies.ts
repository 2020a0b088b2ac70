import type { ValidationFinding } from '../documents.js';
import { type UblNode, attributeOf, isNode, textAt } from '../ubl.js';
import { type Subject, type Validator, pathOf } from './validator.js';

const homeCurrency = 'MYR';

export const validateCurrencies: Validator = (subject) => [...checkExchangeRate(subject), ...checkAmounts(subject)];

/** A document in another currency needs a rate into ringgit. */
function checkExchangeRate({ invoice }: Subject): ValidationFinding[] {
  if (textAt(invoice, 'DocumentCurrencyCode') === homeCurrency) return [];
  if (textAt(invoice, 'TaxExchangeRate.TargetCurrencyCode') === homeCurrency) return [];
  const path = pathOf('TaxExchangeRate.TargetCurrencyCode');
  return [{ code: 'DC511', message: 'Foreign target currency should always be MYR', path }];
}

/** One finding for each path, however many lines break the rule there. */
function checkAmounts({ invoice }: Subject): ValidationFinding[] {
  const documentCurrency = textAt(invoice, 'DocumentCurrencyCode');
  const taxCurrency = textAt(invoice, 'TaxCurrencyCode') || documentCurrency;
  const findings = new Map<string, ValidationFinding>();
  for (const { currency, elements } of currenciesIn(invoice, '')) {
    const path = pathOf(elements, 'currencyID');
    const isTaxAmount = elements.endsWith('.TaxAmount');
    if (isTaxAmount && currency !== taxCurrency) {
      findings.set(path, { code: 'DC501', message: 'Tax Amount currency code is not same as TaxCurrencyCode', path });
    }
    if (!isTaxAmount && currency !== documentCurrency) {
      const message = `If the document currency is ${documentCurrency}, all currency codes for amounts should also be ${documentCurrency}`;
      findings.set(path, { code: 'DC502', message, path });
    }
  }
  return [...findings.values()];
}

interface NamedCurrency {
  elements: string;
  currency: string;
}

function currenciesIn(node: UblNode, elements: string): NamedCurrency[] {
  const own = 'currencyID' in node ? [{ elements, currency: attributeOf(node, 'currencyID') }] : [];
  const below = Object.entries(node).flatMap(([name, children]) => {
    if (!Array.isArray(children)) return [];
    const childElements = elements === '' ? name : `${elements}.${name}`;
    return children.filter((child) => isNode(child)).flatMap((child) => currenciesIn(child, childElements));
  });
  return [...own, ...below];
}
