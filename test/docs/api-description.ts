import { readFileSync } from 'node:fs';

// openapi.json as a client's tools read it.

export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly example?: unknown;
}

export interface Described {
  readonly description?: string;
  readonly schema: Schema;
}

export interface Parameter extends Described {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
}

export interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface ResponseDescription {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Described>>;
  readonly content?: { readonly 'application/json': Content };
}

export interface ApiOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': Content } };
  readonly responses: Readonly<Record<string, ResponseDescription>>;
}

interface ApiDescription {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const api = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as ApiDescription;

export const SCHEMAS = api.components.schemas;

/** Every operation by its operationId. */
export const OPERATIONS: ReadonlyMap<string, ApiOperation> = new Map(
  Object.values(api.paths)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => [operation.operationId, operation]),
);

/** The examples of a body, by their names. */
export function listExamples({ example, examples = {} }: Content): [name: string, value: unknown][] {
  const named = Object.entries(examples).map(([name, { value }]): [string, unknown] => [name, value]);
  return example === undefined ? named : [['example', example], ...named];
}

/** The schema itself, or the one that it refers to. */
function resolved(schema: Schema): Schema {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return reference === undefined ? schema : SCHEMAS[reference.replace('#/components/schemas/', '')];
}

/** Where a value is not what its schema says; a member that the schema does not know is one too. */
export function findViolations(value: unknown, schema: Schema, path = ''): string[] {
  if (value === null) return schema.nullable === true ? [] : [`${path} is null`];
  if (schema.oneOf !== undefined) {
    const each = schema.oneOf.map((one) => findViolations(value, one, path));
    return each.toSorted((a, b) => a.length - b.length)[0] ?? [];
  }
  const { properties, required = [], ...own } = resolved(schema);
  if (properties !== undefined) {
    if (typeof value !== 'object') return [`${path} is no object`];
    const members = Object.entries(value);
    return [
      ...required.filter((name) => !(name in value)).map((name) => `${path}/${name} is missing`),
      ...members.flatMap(([name, member]) =>
        name in properties
          ? findViolations(member, properties[name], `${path}/${name}`)
          : [`${path}/${name} is not described`],
      ),
    ];
  }
  if (Array.isArray(value)) return listViolations(value, own, path);
  const broken = Object.entries(LIMITS).filter(([name, holds]) => name in own && !holds(value as never, own as never));
  return broken.map(([name]) => `${path} breaks ${name}: ${JSON.stringify(value)}`);
}

function listViolations(value: readonly unknown[], schema: Schema, path: string): string[] {
  const { items, minItems = 0, maxItems = Infinity } = schema;
  if (items === undefined) return [`${path} is a list`];
  const size = value.length < minItems || value.length > maxItems ? [`${path} has ${value.length} items`] : [];
  return [...size, ...value.flatMap((item, index) => findViolations(item, items, `${path}/${index}`))];
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/,
  uri: /^https?:\/\/\S+$/,
};

const LIMITS = {
  type: (value: unknown, { type }: { type: string }) =>
    type === 'integer' ? Number.isInteger(value) : typeof value === type,
  enum: (value: unknown, schema: { enum: readonly unknown[] }) => schema.enum.includes(value),
  format: (value: string, { format }: { format: string }) => FORMATS[format].test(value),
  pattern: (value: string, { pattern }: { pattern: string }) => new RegExp(pattern).test(value),
  minLength: (value: string, { minLength }: { minLength: number }) => value.length >= minLength,
  maxLength: (value: string, { maxLength }: { maxLength: number }) => value.length <= maxLength,
  minimum: (value: number, { minimum }: { minimum: number }) => value >= minimum,
  maximum: (value: number, { maximum }: { maximum: number }) => value <= maximum,
};
