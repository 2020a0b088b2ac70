import { quote } from '../../common/canonical-json.js';
import { type Decimal, toDecimal, formatPlain } from '../../common/decimal.js';

/** JSON Pointer of the caller's field. Null for constants and the supplier's profile. */
export type Source = string | null;

/** Null values are omitted because the authority rejects empty elements. */
type BasicValue = string | boolean | number | Decimal | null;

type Attribute = string | SourcedAttribute;
interface SourcedAttribute {
  readonly value: string;
  readonly from: Source;
}
type Attributes = Readonly<Record<string, Attribute>>;

/** Attributes that are serialised only once because they are equal in all documents. */
export class FixedAttributes {
  readonly text: string;

  constructor(attributes: Readonly<Record<string, string>>) {
    this.text = attributesText(attributes);
  }
}

class UblElement {
  constructor(
    readonly value: BasicValue,
    readonly from: Source,
    readonly attributes: Attributes | FixedAttributes | null,
  ) {}
}

/** A node without sources, serialised once for many documents. */
class UblText {
  constructor(readonly text: string) {}
}

export interface UblObject {
  readonly [member: string]: UblNode | undefined;
}

/** Every element of the authority's JSON is an array of one basic value or of objects. */
export type UblNode = UblElement | UblText | readonly UblObject[];

const CURRENCY = 'MYR';
const IN_RINGGIT = new FixedAttributes({ currencyID: CURRENCY });

export function element(
  value: BasicValue,
  from: Source,
  attributes: Attributes | FixedAttributes | null = null,
): UblElement {
  return new UblElement(value, from, attributes);
}

export function constant(value: BasicValue, attributes: Attributes | FixedAttributes | null = null): UblElement {
  return new UblElement(value, null, attributes);
}

export function fixed(node: UblElement | readonly UblObject[]): UblText {
  return new UblText(node instanceof UblElement ? elementText(node) : arrayText(node));
}

export function amount(value: number | Decimal, from: Source): UblElement {
  return new UblElement(value, from, IN_RINGGIT);
}

export const CURRENCY_CODE: UblNode = fixed(constant(CURRENCY));

/** Returns minified JSON. Numbers have no exponent because the authority rejects exponents. */
export function serialise(node: UblObject): string {
  let text = '{';
  let separator = '"';
  for (const name in node) {
    const member = node[name];
    if (member === undefined) continue;
    if (member instanceof UblElement && member.value === null) continue;
    text += separator + name + nodeText(member);
    separator = ',"';
  }
  return `${text}}`;
}

function nodeText(node: UblNode): string {
  if (node instanceof UblElement) return elementText(node);
  return node instanceof UblText ? node.text : arrayText(node);
}

function arrayText(nodes: readonly UblObject[]): string {
  let text = '":[';
  let separator = '';
  for (const node of nodes) {
    text += separator + serialise(node);
    separator = ',';
  }
  return `${text}]`;
}

function elementText({ value, attributes }: UblElement): string {
  const text = attributes instanceof FixedAttributes ? attributes.text : attributesText(attributes ?? {});
  return `":[{"_":${valueText(value)}${text}}]`;
}

function attributesText(attributes: Attributes): string {
  let text = '';
  for (const name in attributes) {
    const attribute = attributes[name];
    text += `,"${name}":${quote(typeof attribute === 'string' ? attribute : attribute.value)}`;
  }
  return text;
}

function valueText(value: BasicValue): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'boolean' || value === null) return String(value);
  return formatPlain(value);
}

function numberText(value: number): string {
  const text = String(value);
  return text.includes('e') ? formatPlain(toDecimal(value)) : text;
}

export interface SourcedValue {
  readonly from: string;
  readonly value: BasicValue;
}

/** Maps paths such as `Price[0].PriceAmount[0]._` to sourced values. */
export function sourcesIn(node: UblObject): Map<string, SourcedValue> {
  const sources = new Map<string, SourcedValue>();
  collect(node, '', sources);
  return sources;
}

function collect(node: UblObject, path: string, sources: Map<string, SourcedValue>): void {
  for (const [name, member] of Object.entries(node)) {
    if (member instanceof UblElement) collectElement(member, `${path}${name}[0]`, sources);
    else if (!(member instanceof UblText)) {
      member?.forEach((child, index) => collect(child, `${path}${name}[${index}].`, sources));
    }
  }
}

function collectElement(
  { from, value, attributes }: UblElement,
  path: string,
  sources: Map<string, SourcedValue>,
): void {
  if (from !== null) sources.set(`${path}._`, { from, value });
  if (attributes instanceof FixedAttributes) return;
  for (const [name, attribute] of Object.entries(attributes ?? {})) {
    if (typeof attribute === 'string' || attribute.from === null) continue;
    sources.set(`${path}.${name}`, { from: attribute.from, value: attribute.value });
  }
}
