import { type ElementSchema, type Members, type ValueKind, invoiceMembers } from './invoice-schema.js';

type JsonSchema = Record<string, unknown>;

const valueSchemas: Record<ValueKind, JsonSchema> = {
  text: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', format: 'time' },
};

/** The structure that is checked at submission, as a JSON schema; of all types and versions, which differ in nothing of it. */
export function documentSchema(): JsonSchema {
  const text = { type: 'string' };
  const invoice = { type: 'array', items: objectSchema(invoiceMembers), minItems: 1, maxItems: 1 };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { _D: text, _A: text, _B: text, Invoice: invoice },
    required: ['Invoice'],
    additionalProperties: false,
  };
}

function objectSchema(members: Members): JsonSchema {
  const entries = Object.entries(members);
  const required = entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, element]) => [name, arraySchema(element)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function arraySchema(element: ElementSchema): JsonSchema {
  return { type: 'array', items: itemSchema(element), ...(element.isRequired && { minItems: 1 }) };
}

function itemSchema({ members, value, maxLength }: ElementSchema): JsonSchema {
  if (members) return objectSchema(members);
  if (!value) return { type: 'object' };
  const basic = { ...valueSchemas[value], ...(maxLength !== undefined && { maxLength }) };
  // Whatever stands beside the value is an attribute.
  return { type: 'object', properties: { _: basic }, required: ['_'], additionalProperties: { type: 'string' } };
}
