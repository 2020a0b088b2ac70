import { readdirSync, readFileSync } from 'node:fs';
import type { SimplifiedDocument, Supplier } from '../simplified-document.js';

// The one supplier and the documents that tests and bench are made with; nothing of the service itself reads them.

/** A file of this folder, by its name without `.json`. */
function golden(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8'));
}

export function goldenSupplier(): Supplier {
  return golden('supplier') as Supplier;
}

/** An invoice of one line to a company. */
export function goldenInvoice(): SimplifiedDocument {
  return (golden('invoice.input') as { document: SimplifiedDocument }).document;
}

/** Every document of this folder, by its name. */
export function goldenDocuments(): [name: string, document: SimplifiedDocument][] {
  const names = readdirSync(new URL('.', import.meta.url)).flatMap(
    (file) => /^(.+)\.input\.json$/.exec(file)?.[1] ?? [],
  );
  return names.map((name) => [name, (golden(`${name}.input`) as { document: SimplifiedDocument }).document]);
}
