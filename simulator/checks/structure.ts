import { documentTypeCodes, documentTypeVersions } from '../document-types.js';
import { type UblNode, readAttribute, isNode, nodesAt } from '../ubl.js';
import type { CheckFinding } from './check-finding.js';
import { invoiceElement } from './invoice-schema.js';
import { type ElementSchema, type Members, type ValueKind, findMembers } from './ubl-library.js';

interface Problem {
  kind: string;
  path: string;
}

/** The last of the namespaces is that of extensions. */
export const rootMembers = ['_D', '_A', '_B', '_E', 'Invoice'];
const problemsMax = 50;

/** The checks of the JSON schema; the texts copy the ones that were captured. */
export function checkStructure(root: UblNode): CheckFinding[] {
  const unknown = Object.keys(root).filter((name) => !rootMembers.includes(name));
  const findings = unknown.map((name) => rootFinding(`NoAdditionalPropertiesAllowed: #/${name}`, name));
  const invoices = root.Invoice;
  if (!Array.isArray(invoices)) return [...findings, rootFinding('ArrayExpected: #/Invoice', 'Invoice')];
  if (invoices.length !== 1) return [...findings, rootFinding('ExactlyOneItemExpected: #/Invoice', 'Invoice')];
  const invoice: unknown = invoices[0];
  const path = '#/Invoice[0]';
  if (!isNode(invoice)) return [...findings, invoiceFinding({ kind: 'ObjectExpected', path })];
  const problems = [...checkItem(invoice, invoiceElement, path), ...checkTypeCode(invoice, path)];
  return [...findings, ...problems.slice(0, problemsMax).map((problem) => invoiceFinding(problem))];
}

/**
 * Exponents are refused since April 2026. The parsed number no longer shows them, so the text is searched, outside its
 * strings.
 */
export function checkNumberTexts(text: string): CheckFinding[] {
  const stringOrExponent = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?[eE][+-]?\d+/g;
  const exponents = (text.match(stringOrExponent) ?? []).filter((match) => !match.startsWith('"'));
  return exponents
    .slice(0, problemsMax)
    .map((number) => rootFinding(`NumberExpected: exponents are not allowed in ${number}`, 'document'));
}

function checkMembers(node: UblNode, members: Members, path: string): Problem[] {
  const unknown = Object.keys(node)
    .filter((name) => !Object.hasOwn(members, name))
    .map((name) => ({ kind: 'NoAdditionalPropertiesAllowed', path: `${path}.${name}` }));
  const known = Object.entries(members).flatMap(([name, schema]) =>
    checkElement(node[name], schema, `${path}.${name}`),
  );
  return [...unknown, ...known];
}

function checkElement(element: unknown, schema: ElementSchema, path: string): Problem[] {
  if (element === undefined) return schema.isRequired ? [{ kind: 'PropertyRequired', path }] : [];
  if (!Array.isArray(element)) return [{ kind: 'ArrayExpected', path }];
  if (element.length === 0) return [{ kind: 'TooFewItems', path }];
  if (element.length > 1 && !schema.isRepeated) return [{ kind: 'TooManyItems', path }];
  return element.flatMap((item: unknown, index) => checkItem(item, schema, `${path}[${index}]`));
}

function checkItem(item: unknown, schema: ElementSchema, path: string): Problem[] {
  if (!isNode(item)) return [{ kind: 'ObjectExpected', path }];
  if (schema.value) return checkValue(item, schema, schema.value, path);
  const members = findMembers(schema);
  return members ? checkMembers(item, members, path) : [];
}

const valueRules: Record<ValueKind, { kind: string; accepts(value: unknown): boolean }> = {
  text: { kind: 'StringExpected', accepts: (value) => typeof value === 'string' },
  number: { kind: 'NumberExpected', accepts: isNumber },
  amount: { kind: 'NumberExpected', accepts: isNumber },
  measure: { kind: 'NumberExpected', accepts: isNumber },
  boolean: { kind: 'BooleanExpected', accepts: (value) => typeof value === 'boolean' },
  date: { kind: 'DateExpected', accepts: isDate },
  time: { kind: 'TimeExpected', accepts: isTime },
  utcTime: { kind: 'TimeExpected', accepts: isUtcTime },
};

/** UBL makes no other attributes mandatory. */
export const requiredAttributes: Partial<Record<ValueKind, string>> = { amount: 'currencyID', measure: 'unitCode' };

function checkValue(node: UblNode, schema: ElementSchema, value: ValueKind, path: string): Problem[] {
  const rule = valueRules[value];
  if (!rule.accepts(node._)) return [{ kind: rule.kind, path }];
  if (schema.maxLength !== undefined && String(node._).length > schema.maxLength) {
    return [{ kind: 'StringTooLong', path }];
  }
  const attribute = requiredAttributes[value];
  if (attribute !== undefined && !Object.hasOwn(node, attribute)) {
    return [{ kind: 'PropertyRequired', path: `${path}.${attribute}` }];
  }
  const attributes = Object.entries(node).filter(([name]) => name !== '_');
  return attributes
    .filter(([, text]) => typeof text !== 'string')
    .map(([name]) => ({ kind: 'StringExpected', path: `${path}.${name}` }));
}

function checkTypeCode(invoice: UblNode, path: string): Problem[] {
  const typeCode = nodesAt(invoice, 'InvoiceTypeCode')[0];
  if (!typeCode) return [];
  const isKnown =
    documentTypeCodes.includes(readAttribute(typeCode, '_')) &&
    documentTypeVersions.some(({ name }) => name === readAttribute(typeCode, 'listVersionID'));
  return isKnown ? [] : [{ kind: 'NotInEnumeration', path: `${path}.InvoiceTypeCode[0]` }];
}

function isDate(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const instant = Date.parse(`${value}T00:00:00Z`);
  // Date.parse moves 30 February into March, so the way back must give the same text.
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(value);
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}

/** With an offset and, if need be, fractions of a second. */
function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/.test(value);
}

/** The authority's pages show issue and payment times so, and no other way. */
function isUtcTime(value: unknown): boolean {
  return typeof value === 'string' && /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/.test(value);
}

function rootFinding(message: string, target: string): CheckFinding {
  return { code: null, message, target, propertyPath: `#/${target}` };
}

function invoiceFinding({ kind, path }: Problem): CheckFinding {
  return {
    code: null,
    message: `ArrayItemNotValid: #/Invoice[0]\n{\n  ${kind}: ${path}\n}\n`,
    target: '[0]',
    propertyPath: '#/Invoice[0]',
  };
}
