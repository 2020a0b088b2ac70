import { isoSeconds } from '../clock.js';
import { documentTypeCodes, documentTypeVersions } from '../document-types.js';
import { type UblNode, countCharacters, readAttribute, isNode, nodeAt } from '../ubl.js';
import type { CheckFinding } from './check-finding.js';
import { invoiceElement } from './invoice-schema.js';
import { type ElementSchema, type Members, type ValueKind, findMembers } from './ubl-library.js';

interface Problem {
  kind: string;
  path: string;
}

/** The namespaces of UBL and the invoice. `_E` is the namespace of extensions. */
export const rootMembers = ['_D', '_A', '_B', '_E', 'Invoice'];
const problemsMax = 50;

/** Checks the document against the JSON schema. The messages copy captured responses. */
export function checkStructure(root: UblNode, now: number): CheckFinding[] {
  const unknown = Object.keys(root).filter((name) => !rootMembers.includes(name));
  const findings = unknown.map((name) => rootFinding(`NoAdditionalPropertiesAllowed: #/${name}`, name));
  const invoices = root.Invoice;
  if (!Array.isArray(invoices)) return [...findings, rootFinding('ArrayExpected: #/Invoice', 'Invoice')];
  if (invoices.length !== 1) return [...findings, rootFinding('ExactlyOneItemExpected: #/Invoice', 'Invoice')];
  const invoice: unknown = invoices[0];
  const path = '#/Invoice[0]';
  if (!isNode(invoice)) return [...findings, invoiceFinding({ kind: 'ObjectExpected', path })];
  const problems = [...within(path, checkItem(invoice, invoiceElement)), ...checkTypeCode(invoice, path, now)];
  return [...findings, ...problems.slice(0, problemsMax).map((problem) => invoiceFinding(problem))];
}

/**
 * Rejects numbers with exponents, as the authority does since April 2026. Parsing loses the notation of a number, so
 * this function searches the text outside of strings.
 */
export function checkNumberTexts(text: string): CheckFinding[] {
  // Fast path: most documents contain no text that looks like an exponent.
  if (!/\d[eE][+-]?\d/.test(text)) return [];
  const withoutStrings = text.replaceAll(/"(?:[^"\\]|\\[^])*(?:"|\\?$)/g, '""');
  const numbers = withoutStrings.match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g) ?? [];
  const exponents = numbers.filter((number) => /e/i.test(number));
  return exponents
    .slice(0, problemsMax)
    .map((number) => rootFinding(`NumberExpected: exponents are not allowed in ${number}`, 'document'));
}

/** Members of a group with their positions in the schema. */
interface MemberTable {
  byName: ReadonlyMap<string, IndexedMember>;
  required: readonly IndexedMember[];
}
interface IndexedMember {
  name: string;
  index: number;
  schema: ElementSchema;
}

const memberTables = new WeakMap<Members, MemberTable>();

function toMemberTable(members: Members): MemberTable {
  let table = memberTables.get(members);
  if (!table) {
    const indexed = Object.entries(members).map(([name, schema], index) => ({ name, index, schema }));
    table = {
      byName: new Map(indexed.map((member) => [member.name, member])),
      required: indexed.filter(({ schema }) => schema.isRequired),
    };
    memberTables.set(members, table);
  }
  return table;
}

// Optimized for valid documents: only existing members are visited, and paths are built only for problems.
const none: readonly Problem[] = [];

function within(step: string, problems: readonly Problem[]): readonly Problem[] {
  return problems.length === 0 ? none : problems.map(({ kind, path }) => ({ kind, path: step + path }));
}

/** Returns the problems of unknown members first, then those of known members in schema order. */
function checkMembers(node: UblNode, members: Members): readonly Problem[] {
  const { byName, required } = toMemberTable(members);
  const unknown: Problem[] = [];
  const known: { index: number; problems: readonly Problem[] }[] = [];
  for (const name in node) {
    const member = byName.get(name);
    if (!member) {
      unknown.push({ kind: 'NoAdditionalPropertiesAllowed', path: `.${name}` });
      continue;
    }
    const problems = checkElement(node[name], member.schema);
    if (problems.length > 0) known.push({ index: member.index, problems: within(`.${name}`, problems) });
  }
  for (const { name, index } of required) {
    if (!Object.hasOwn(node, name)) known.push({ index, problems: [{ kind: 'PropertyRequired', path: `.${name}` }] });
  }
  if (unknown.length === 0 && known.length === 0) return none;
  return [...unknown, ...known.toSorted((a, b) => a.index - b.index).flatMap(({ problems }) => problems)];
}

function checkElement(element: unknown, schema: ElementSchema): readonly Problem[] {
  if (!Array.isArray(element)) return [{ kind: 'ArrayExpected', path: '' }];
  if (element.length === 0) return [{ kind: 'TooFewItems', path: '' }];
  if (element.length > 1 && !schema.isRepeated) return [{ kind: 'TooManyItems', path: '' }];
  const [only] = element as unknown[];
  if (element.length === 1) return within('[0]', checkItem(only, schema));
  return element.flatMap((item: unknown, index) => within(`[${index}]`, checkItem(item, schema)));
}

function checkItem(item: unknown, schema: ElementSchema): readonly Problem[] {
  if (!isNode(item)) return [{ kind: 'ObjectExpected', path: '' }];
  if (schema.value) return checkValue(item, schema, schema.value);
  const members = findMembers(schema);
  return members ? checkMembers(item, members) : none;
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

/** The mandatory attributes of UBL. All other attributes are optional. */
export const requiredAttributes: Partial<Record<ValueKind, string>> = { amount: 'currencyID', measure: 'unitCode' };

function checkValue(node: UblNode, schema: ElementSchema, value: ValueKind): readonly Problem[] {
  const rule = valueRules[value];
  if (!rule.accepts(node._)) return [{ kind: rule.kind, path: '' }];
  if (schema.maxLength !== undefined && countCharacters(String(node._)) > schema.maxLength) {
    return [{ kind: 'StringTooLong', path: '' }];
  }
  const attribute = requiredAttributes[value];
  if (attribute !== undefined && !Object.hasOwn(node, attribute)) {
    return [{ kind: 'PropertyRequired', path: `.${attribute}` }];
  }
  const problems: Problem[] = [];
  for (const name in node) {
    if (name !== '_' && typeof node[name] !== 'string') problems.push({ kind: 'StringExpected', path: `.${name}` });
  }
  return problems;
}

function checkTypeCode(invoice: UblNode, path: string, now: number): Problem[] {
  const typeCode = nodeAt(invoice, 'InvoiceTypeCode');
  if (!typeCode) return [];
  const isKnown =
    documentTypeCodes.includes(readAttribute(typeCode, '_')) &&
    documentTypeVersions.some(
      ({ name, activeTo }) =>
        name === readAttribute(typeCode, 'listVersionID') && (activeTo === null || isoSeconds(now) <= activeTo),
    );
  return isKnown ? [] : [{ kind: 'NotInEnumeration', path: `${path}.InvoiceTypeCode[0]` }];
}

function isDate(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const instant = Date.parse(`${value}T00:00:00Z`);
  // Date.parse turns 30 February into a date in March, so the round trip must return the same text.
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(value);
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}

/** Accepts a time with an offset and optional fractional seconds. */
function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/.test(value);
}

/** Accepts only the form of issue and payment times on the authority's pages. */
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
