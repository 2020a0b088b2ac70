import { readdirSync, readFileSync } from 'node:fs';
import type { SimplifiedDocument, Supplier } from '../simplified-document.js';

// Documents for tests and benchmarks.

function golden(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8'));
}

export function goldenSupplier(): Supplier {
  return golden('supplier') as Supplier;
}

export function goldenInvoice(): SimplifiedDocument {
  return (golden('invoice.input') as { document: SimplifiedDocument }).document;
}

export function goldenDocuments(): [name: string, document: SimplifiedDocument][] {
  const names = readdirSync(new URL('.', import.meta.url)).flatMap(
    (file) => /^(.+)\.input\.json$/.exec(file)?.[1] ?? [],
  );
  return names.map((name) => [name, (golden(`${name}.input`) as { document: SimplifiedDocument }).document]);
}
