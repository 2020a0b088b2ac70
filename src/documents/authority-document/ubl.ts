import { quoted } from '../../common/canonical-json.js';
import { type Decimal, isDecimal, plainText } from '../../common/decimal.js';

/**
 * A node of the authority's document. Numbers are decimals throughout, so that no figure is ever written by way of a
 * double's exponent. A member that is undefined is left out: the authority refuses optional blocks that are empty.
 */
export type UblNode = string | boolean | Decimal | UblNode[] | UblObject;
export interface UblObject {
  [member: string]: UblNode | undefined;
}

const CURRENCY = 'MYR';

/** A basic value: `[{"_": value, ...attributes}]`. Every element of the authority's JSON is an array. */
export function element(value: string | boolean | Decimal, attributes?: UblObject): UblNode[] {
  return [{ _: value, ...attributes }];
}

/** Ringgit (D7). */
export function amount(value: Decimal): UblNode[] {
  return element(value, { currencyID: CURRENCY });
}

export function currency(): UblNode[] {
  return element(CURRENCY);
}

/** Minified JSON with the members in the order in which they were written, and plain decimals without exponent. */
export function serialise(node: UblNode): string {
  if (typeof node === 'string') return quoted(node);
  if (typeof node === 'boolean') return node ? 'true' : 'false';
  if (isDecimal(node)) return plainText(node);
  return Array.isArray(node) ? arrayText(node) : objectText(node);
}

function arrayText(nodes: readonly UblNode[]): string {
  let text = '[';
  let separator = '';
  for (const node of nodes) {
    text += separator + serialise(node);
    separator = ',';
  }
  return `${text}]`;
}

function objectText(node: UblObject): string {
  let text = '{';
  let separator = '';
  for (const name of Object.keys(node)) {
    const member = node[name];
    if (member === undefined) continue;
    text += `${separator}"${name}":${serialise(member)}`;
    separator = ',';
  }
  return `${text}}`;
}
