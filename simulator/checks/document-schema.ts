import { invoiceElement } from './invoice-schema.js';
import { requiredAttributes, rootMembers } from './structure.js';
import { type ElementSchema, type ValueKind, aggregateNames, findMembers } from './ubl-library.js';

type JsonSchema = Record<string, unknown>;

const valueSchemas: Record<ValueKind, JsonSchema> = {
  text: { type: 'string' },
  number: { type: 'number' },
  amount: { type: 'number' },
  measure: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', format: 'time' },
  utcTime: { type: 'string', format: 'time' },
};

/** Builds the JSON schema of the structure checks at submission. All document types and versions share it. */
export function documentSchema(): JsonSchema {
  const text = { type: 'string' };
  const invoice = { type: 'array', items: itemSchema(invoiceElement), minItems: 1, maxItems: 1 };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: Object.fromEntries(rootMembers.map((name) => [name, name === 'Invoice' ? invoice : text])),
    required: ['Invoice'],
    additionalProperties: false,
    definitions: Object.fromEntries(aggregateNames.map((aggregate) => [aggregate, groupSchema({ aggregate })])),
  };
}

function groupSchema(element: ElementSchema): JsonSchema {
  const members = findMembers(element);
  if (!members) return { type: 'object' };
  const entries = Object.entries(members);
  const required = entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, member]) => [name, arraySchema(member)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function arraySchema(element: ElementSchema): JsonSchema {
  return { type: 'array', items: itemSchema(element), minItems: 1, ...(!element.isRepeated && { maxItems: 1 }) };
}

function itemSchema(element: ElementSchema): JsonSchema {
  if (element.value) return basicSchema(element, element.value);
  // Uses a reference where the authority adds no rules, because aggregates contain each other.
  const isPlain = !element.members && aggregateNames.includes(element.aggregate ?? '');
  return isPlain ? { $ref: `#/definitions/${element.aggregate}` } : groupSchema(element);
}

function basicSchema({ maxLength }: ElementSchema, value: ValueKind): JsonSchema {
  const basic = { ...valueSchemas[value], ...(maxLength !== undefined && { maxLength }) };
  const attribute = requiredAttributes[value];
  // All other members are attributes.
  return {
    type: 'object',
    properties: { _: basic },
    required: ['_', ...(attribute === undefined ? [] : [attribute])],
    additionalProperties: { type: 'string' },
  };
}
