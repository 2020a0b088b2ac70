import { type FieldPath, SUPPLIER_PROFILE, WHOLE_DOCUMENT } from './error-catalogue/authority-error.js';

/** Maps paths within the authority's `Invoice[0]` to JSON Pointers relative to the caller's document. */
export type RequestPointers = ReadonlyMap<string, string>;

export interface Located {
  readonly path: string | null;
  readonly message: string;
}

interface LocatedPointer {
  /** The nearest field that contains all values of the finding. Empty for the whole document. */
  readonly pointer: string;
  readonly isExact: boolean;
}

export function isSupplierSide(finding: Located): boolean {
  const paths = parsePaths(finding);
  return paths.length === 0 ? /-\s*supplier\s*$/i.test(finding.message) : paths.every(isSupplierPath);
}

/**
 * Returns the field of a finding, relative to the caller's document: the field of its path, or a more exact field of
 * the catalogue, or the nearest field. Empty for the whole document, null for the supplier.
 */
export function findPointer(finding: Located, fieldPath: FieldPath | null, pointers: RequestPointers): string | null {
  if (isSupplierSide(finding)) return null;
  const located = locate(finding, pointers);
  if (fieldPath === SUPPLIER_PROFILE && !isField(located.pointer, pointers)) return null;
  const own = fieldPath === null ? null : choosePointer(fieldPath, located.pointer, pointers);
  if (own !== null && own.startsWith(`${located.pointer}/`)) return own;
  return located.isExact ? located.pointer : (own ?? located.pointer);
}

export function locate(finding: Located, pointers: RequestPointers): LocatedPointer {
  const paths = parsePaths(finding);
  const exact = selectNamedId(
    paths.flatMap((steps) => listPointersAt(steps, pointers)),
    finding.message,
  );
  if (exact.length > 0) return { pointer: findCommonPointer(exact), isExact: true };
  return { pointer: findCommonPointer(paths.flatMap((steps) => listPointersNear(steps, pointers))), isExact: false };
}

function isField(pointer: string, pointers: RequestPointers): boolean {
  return pointer !== '' && [...pointers.values()].includes(pointer);
}

/** All ids of a party have the same path, so only the message of the finding distinguishes them. */
const ID_WORDS: readonly (readonly [words: RegExp, member: RegExp])[] = [
  [/\bSST\b/i, /\/sstNumber$/],
  [/\bTTX\b/i, /\/ttxNumber$/],
  [/\b(?:BRN|NRIC|PASSPORT|ARMY|identification number)\b/i, /\/(?:brn|nric|passport|army|idValue)$/],
  [/\bTIN\b/i, /\/tin$/],
];
const IDS = /\/(?:tin|brn|nric|passport|army|idValue|sstNumber|ttxNumber)$/;

function selectNamedId(pointers: readonly string[], message: string): readonly string[] {
  if (!pointers.every((pointer) => IDS.test(pointer))) return pointers;
  const [, member] = ID_WORDS.find(([words]) => words.test(message)) ?? [];
  const named = member === undefined ? [] : pointers.filter((pointer) => member.test(pointer));
  return named.length > 0 ? named : pointers;
}

type Steps = ReturnType<typeof parsePaths>[number];

const VALUE = { name: '_', index: null };

function listPointersAt(steps: Steps, pointers: RequestPointers): string[] {
  if (steps.length === 0) return [];
  const own = listPointersMatching(buildPattern([...steps, VALUE]), pointers);
  return own.length > 0 ? own : listPointersMatching(buildPattern(steps), pointers);
}

function listPointersNear(steps: Steps, pointers: RequestPointers): string[] {
  for (let length = steps.length - 1; length > 0; length -= 1) {
    const near = listPointersAt(steps.slice(0, length), pointers);
    if (near.length > 0) return near;
  }
  return [];
}

function listPointersMatching(pattern: RegExp, pointers: RequestPointers): string[] {
  const matching: string[] = [];
  for (const [path, pointer] of pointers) {
    if (pattern.test(path)) matching.push(pointer);
  }
  return matching;
}

/** Returns the nearest field that contains all pointers, such as `/lineItems` for several lines. */
function findCommonPointer(pointers: readonly string[]): string {
  if (pointers.length === 0) return '';
  const [first, ...others] = new Set(pointers);
  const tokens = first.split('/');
  for (const other of others) {
    const otherTokens = other.split('/');
    const end = tokens.findIndex((token, index) => token !== otherTokens[index]);
    if (end !== -1) tokens.length = end;
  }
  return tokens.join('/');
}

/** Returns the field of the catalogue, or null if the document does not contain it. */
function choosePointer(fieldPath: FieldPath, near: string, pointers: RequestPointers): string | null {
  if (fieldPath === WHOLE_DOCUMENT || fieldPath === SUPPLIER_PROFILE) return null;
  if (fieldPath.includes('*')) return chooseLinePointer(fieldPath, near, pointers);
  const values = [...pointers.values()];
  if (DATE.test(fieldPath)) return values.find((pointer) => DATE.test(pointer)) ?? fieldPath;
  const parent = fieldPath.slice(0, fieldPath.lastIndexOf('/'));
  if (!values.some((pointer) => pointer.startsWith(`${parent}/`))) return null;
  return fieldPath.endsWith('{id}') ? (values.find((pointer) => BUYER_ID.test(pointer)) ?? null) : fieldPath;
}

const DATE = /^\/(?:document_date|documentDate)$/;
const BUYER_ID = /^\/recipient\/(?:brn|nric|passport|army)$/;

function chooseLinePointer(fieldPath: string, near: string, pointers: RequestPointers): string {
  const named = /^\/lineItems\/(\d+)/.exec(near)?.[1];
  const line = named ?? (pointers.has('InvoiceLine[1].ID[0]._') ? null : '0');
  return line === null ? '/lineItems' : fieldPath.replace('*', line);
}

interface PathStep {
  readonly name: string;
  readonly index: number | null;
}

// The deepest value of the document is ten steps below the root.
const STEPS_MAX = 16;
const STEP = /^(?:[a-z]+:)?(\w+)((?:\[[^[\]]*\])*)$/i;
const ROOT = /^(?:Invoice|Document)$/i;

/**
 * Returns the paths of a finding within `Invoice[0]`. Accepts the authority's notations (protocol 4.4, 6.1):
 * `$.Invoice[*].X[*]._`, `Invoice.X AND Invoice.Y`, `#/Invoice[0].X`, `Invoice.X.Y` and `InvoiceLine[2]`. The text of a
 * structural error contains its deepest element. Skips unreadable paths.
 */
export function parsePaths(finding: { readonly path: string | null; readonly message: string }): PathStep[][] {
  const deepest = finding.message.match(/#\/[\w.[\]/]+/g)?.at(-1);
  const paths = deepest === undefined ? (finding.path ?? '').split(/\sAND\s|[,;\n]/i) : [deepest];
  return paths.map(parseSteps).filter((steps) => steps !== null);
}

function parseSteps(path: string): PathStep[] | null {
  const names = path
    .trim()
    .replace(/^[$#]/, '')
    .split(/[./]+/)
    .filter((name) => name !== '');
  const steps: PathStep[] = [];
  for (const name of names.slice(0, STEPS_MAX)) {
    const step = parseStep(name);
    if (step === null) return null;
    steps.push(step);
  }
  while (steps.length > 0 && ROOT.test(steps[0].name)) steps.shift();
  return names.length === 0 ? null : steps;
}

function parseStep(text: string): PathStep | null {
  const [, name, indexes] = STEP.exec(text) ?? [];
  if (name === undefined) return null;
  const index = /\[(\d+)\]$/.exec(indexes)?.[1];
  return { name, index: index === undefined ? null : Number(index) };
}

function isSupplierPath(steps: readonly PathStep[]): boolean {
  return /^AccountingSupplierParty$/i.test(steps.at(0)?.name ?? '');
}

/** Matches paths at or below the given path. An attribute matches through its element. */
function buildPattern(steps: readonly PathStep[]): RegExp {
  const parts = steps.map(({ name, index }) => (name === '_' ? '_' : `${name}(?:\\[${index ?? '\\d+'}\\])?`));
  return new RegExp(`^${parts.join('\\.')}(?:$|\\.)`, 'i');
}
