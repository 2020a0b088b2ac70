import { readFileSync } from 'node:fs';

/** The authority's code lists. Their names appear in error texts, with the authority's wording where it is known. */
export const codeLists = {
  states: readList('State Codes', 'state-codes'),
  countries: readList('Country Codes', 'country-codes'),
  currencies: readList('Currency Codes', 'currency-codes'),
  industries: readList('MSIC Codes', 'msic-codes'),
  taxTypes: readList('Tax Types', 'tax-types'),
  classifications: readList('Classification Codes', 'classification-codes'),
  units: readList('Unit Types', 'unit-types'),
  paymentMethods: readList('Payment Modes', 'payment-methods'),
};

export interface CodeList {
  name: string;
  codes: ReadonlySet<string>;
}

function readList(name: string, file: string): CodeList {
  const text = readFileSync(new URL(`./code-lists/${file}.json`, import.meta.url), 'utf8');
  return { name, codes: new Set(JSON.parse(text) as string[]) };
}
