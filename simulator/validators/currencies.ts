import type { ValidationFinding } from '../documents.js';
import { type UblNode, readAttribute, isNode, textAt } from '../ubl.js';
import { type ContentValidator, type Subject, toPropertyPath } from './validator.js';

const homeCurrency = 'MYR';
// The authority's page lists this error without a code, so the code is invented.
const otherSourceCode = 'DC510';

export const validateCurrencies: ContentValidator = (subject) => [
  ...checkExchangeRate(subject),
  ...checkAmounts(subject),
];

/** Requires an exchange rate to MYR for a foreign currency. The rate's source must be the document's currency. */
function checkExchangeRate({ invoice }: Subject): ValidationFinding[] {
  const findings: ValidationFinding[] = [];
  const currency = textAt(invoice, 'DocumentCurrencyCode');
  if (currency !== homeCurrency && textAt(invoice, 'TaxExchangeRate.TargetCurrencyCode') !== homeCurrency) {
    const path = toPropertyPath('TaxExchangeRate.TargetCurrencyCode');
    findings.push({ code: 'DC511', message: 'Foreign target currency should always be MYR', path });
  }
  const source = textAt(invoice, 'TaxExchangeRate.SourceCurrencyCode');
  if (!['', currency].includes(source)) {
    const path = toPropertyPath('TaxExchangeRate.SourceCurrencyCode');
    findings.push({ code: otherSourceCode, message: 'Foreign source currency should be the document currency', path });
  }
  return findings;
}

/** Returns one finding per path, even if several lines break the rule. */
function checkAmounts({ invoice }: Subject): ValidationFinding[] {
  const documentCurrency = textAt(invoice, 'DocumentCurrencyCode');
  const taxCurrency = textAt(invoice, 'TaxCurrencyCode') || documentCurrency;
  const findings = new Map<string, ValidationFinding>();
  visitCurrencies(invoice, [], (currency, names) => {
    const isTaxAmount = names.at(-1) === 'TaxAmount';
    if (currency === (isTaxAmount ? taxCurrency : documentCurrency)) return;
    const path = toPropertyPath(names.join('.'), 'currencyID');
    const broken = isTaxAmount
      ? { code: 'DC501', message: 'Tax Amount currency code is not same as TaxCurrencyCode' }
      : {
          code: 'DC502',
          message: `If the document currency is ${documentCurrency}, all currency codes for amounts should also be ${documentCurrency}`,
        };
    findings.set(path, { ...broken, path });
  });
  return [...findings.values()];
}

type Visit = (currency: string, names: readonly string[]) => void;

/** @param names element names from the root to the node; the recursion reuses this array */
function visitCurrencies(node: UblNode, names: string[], visit: Visit): void {
  if ('currencyID' in node) visit(readAttribute(node, 'currencyID'), names);
  for (const name in node) {
    const children = node[name];
    if (!Array.isArray(children)) continue;
    names.push(name);
    for (const child of children as unknown[]) if (isNode(child)) visitCurrencies(child, names, visit);
    names.pop();
  }
}
