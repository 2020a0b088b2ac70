import { isSupplierPath, pathsOf, patternOf } from './authority-path.js';
import { type Place, SUPPLIER_PROFILE, WHOLE_DOCUMENT } from './error-catalogue/authority-error.js';

/** From the builder: paths within the authority's `Invoice[0]` to JSON Pointers relative to the caller's document. */
export type RequestPointers = ReadonlyMap<string, string>;

/** What of a finding says where it is. */
interface Located {
  readonly path: string | null;
  readonly message: string;
}

interface Spot {
  /** The nearest place that holds everything the finding names; empty for the whole document. */
  readonly pointer: string;
  /** Whether the builder knows what the finding names. */
  readonly isExact: boolean;
}

/** Whether it is about the supplier, of whom the request holds nothing. */
export function isSupplierSide(finding: Located): boolean {
  const paths = pathsOf(finding);
  return paths.length === 0 ? /-\s*supplier\s*$/i.test(finding.message) : paths.every(isSupplierPath);
}

/**
 * Where a finding points, relative to the caller's document: what the builder knows of its path; the catalogue's own
 * place where that is more exact, or the path is not known; else the nearest place. Empty for the whole document, null
 * for the supplier. A place of the catalogue counts only where the document has something like it: a consolidated
 * document has no recipient.
 */
export function pointerTo(finding: Located, place: Place | null, pointers: RequestPointers): string | null {
  if (isSupplierSide(finding)) return null;
  const spot = spotOf(finding, pointers);
  if (place === SUPPLIER_PROFILE && spot.pointer === '') return null;
  const own = place === null ? null : pointerOf(place, spot.pointer, pointers);
  if (own !== null && own.startsWith(`${spot.pointer}/`)) return own;
  return spot.isExact ? spot.pointer : (own ?? spot.pointer);
}

function spotOf(finding: Located, pointers: RequestPointers): Spot {
  const paths = pathsOf(finding);
  const exact = paths.flatMap((steps) => pointersAt(steps, pointers));
  if (exact.length > 0) return { pointer: commonOf(exact), isExact: true };
  return { pointer: commonOf(paths.flatMap((steps) => pointersNear(steps, pointers))), isExact: false };
}

type Steps = ReturnType<typeof pathsOf>[number];

const VALUE = { name: '_', index: null };

/** The sources of the value itself, or of everything below. */
function pointersAt(steps: Steps, pointers: RequestPointers): string[] {
  if (steps.length === 0) return [];
  const own = pointersMatching(patternOf([...steps, VALUE]), pointers);
  return own.length > 0 ? own : pointersMatching(patternOf(steps), pointers);
}

function pointersNear(steps: Steps, pointers: RequestPointers): string[] {
  for (let length = steps.length - 1; length > 0; length -= 1) {
    const near = pointersAt(steps.slice(0, length), pointers);
    if (near.length > 0) return near;
  }
  return [];
}

function pointersMatching(pattern: RegExp, pointers: RequestPointers): string[] {
  const matching: string[] = [];
  for (const [path, pointer] of pointers) {
    if (pattern.test(path)) matching.push(pointer);
  }
  return matching;
}

/** The place that holds all of them: of several lines `/lineItems`. */
function commonOf(pointers: readonly string[]): string {
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

/** A place of the catalogue in this document; null when it has nothing like it. */
function pointerOf(place: Place, near: string, pointers: RequestPointers): string | null {
  if (place === WHOLE_DOCUMENT || place === SUPPLIER_PROFILE) return null;
  if (place.includes('*')) return linePointerOf(place, near, pointers);
  const values = [...pointers.values()];
  if (DATE.test(place)) return values.find((pointer) => DATE.test(pointer)) ?? place;
  const parent = place.slice(0, place.lastIndexOf('/'));
  if (!values.some((pointer) => pointer.startsWith(`${parent}/`))) return null;
  return place.endsWith('{id}') ? (values.find((pointer) => BUYER_ID.test(pointer)) ?? null) : place;
}

// In the caller's own spelling.
const DATE = /^\/(?:document_date|documentDate)$/;
const BUYER_ID = /^\/recipient\/(?:brn|nric|passport|army)$/;

/** In the line that the finding names, or the only one; else all lines. */
function linePointerOf(place: string, near: string, pointers: RequestPointers): string {
  const named = /^\/lineItems\/(\d+)/.exec(near)?.[1];
  const line = named ?? (pointers.has('InvoiceLine[1].ID[0]._') ? null : '0');
  return line === null ? '/lineItems' : place.replace('*', line);
}
