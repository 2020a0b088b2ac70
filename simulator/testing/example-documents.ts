import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isoSeconds } from '../clock.js';

type Json = Record<string, unknown>;

export interface ExampleOptions {
  example?: 'invoice' | 'credit-note' | 'consolidated';
  number?: string;
  issuedAt?: number;
  /** Values by path, such as `InvoiceLine.0.ID.0._`. Undefined removes the member. */
  set?: Record<string, unknown>;
  /** Changes the serialized text, for JSON that JSON.stringify cannot produce. */
  rewrite?: (text: string) => string;
}

export interface ExampleEntry {
  format: string;
  codeNumber: string;
  documentHash: string;
  document: string;
}

let count = 0;

export function newNumber(prefix = 'INV'): string {
  count += 1;
  return `${prefix}-${process.pid}-${count}`;
}

/** Builds a submission entry from a published example, issued a minute ago, with the given changes. */
export function exampleEntry(options: ExampleOptions = {}): ExampleEntry {
  const { example = 'invoice', number = newNumber(), issuedAt = Date.now() - 60_000, set = {}, rewrite } = options;
  const file = new URL(`./documents/${example}.json`, import.meta.url);
  const root = JSON.parse(readFileSync(file, 'utf8')) as Json;
  const [date = '', time = ''] = isoSeconds(issuedAt).split('T');
  const changes = { 'ID.0._': number, 'IssueDate.0._': date, 'IssueTime.0._': time, ...set };
  for (const [path, value] of Object.entries(changes)) setAt(root, `Invoice.0.${path}`, value);
  const text = JSON.stringify(root);
  return buildEntry(number, rewrite ? rewrite(text) : text);
}

export function buildEntry(codeNumber: string, text: string): ExampleEntry {
  const raw = Buffer.from(text, 'utf8');
  return {
    format: 'JSON',
    codeNumber,
    documentHash: createHash('sha256').update(raw).digest('hex'),
    document: raw.toString('base64'),
  };
}

export function creditNoteFor(uuid: string, options: ExampleOptions & { parentNumber: string }): ExampleEntry {
  const { parentNumber, set, ...rest } = options;
  const reference = 'BillingReference.0.InvoiceDocumentReference.0';
  const parent = { [`${reference}.UUID.0._`]: uuid, [`${reference}.ID.0._`]: parentNumber };
  return exampleEntry({ example: 'credit-note', ...rest, set: { ...parent, ...set } });
}

function setAt(root: Json, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop() ?? '';
  let node = root;
  for (const name of names) node = (node[name] ??= {}) as Json;
  if (value === undefined) Reflect.deleteProperty(node, last);
  else node[last] = value;
}
