import { readFileSync } from 'node:fs';

// Reads openapi.json as a client's tools do.

type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';

export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
  readonly type?: JsonType | readonly JsonType[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
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
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

export const API = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as ApiDescription;

export const SCHEMAS = API.components.schemas;

/** Operations by operationId. */
export const OPERATIONS: ReadonlyMap<string, ApiOperation> = new Map(
  Object.values(API.paths)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => [operation.operationId, operation]),
);

/** Returns the examples of a body by name. */
export function listExamples({ example, examples = {} }: Content): [name: string, value: unknown][] {
  const named = Object.entries(examples).map(([name, { value }]): [string, unknown] => [name, value]);
  return example === undefined ? named : [['example', example], ...named];
}

/** Returns the example of the schema itself. */
export function readExample({ examples: [example] = [] }: Schema): unknown {
  return example;
}

/** Returns the schema with its references and parts merged and without null. */
export function resolve(schema: Schema): Schema {
  const { $ref, allOf = [], oneOf = [], ...own } = schema;
  const [choice, ...others] = oneOf.filter(({ type }) => type !== 'null');
  if (choice !== undefined && others.length > 0) return schema;
  const parts = [
    ...($ref === undefined ? [] : [findSchema($ref)]),
    ...allOf,
    ...(choice === undefined ? [] : [choice]),
  ];
  return [...parts.map(resolve), own].reduce((whole, part) => ({
    ...whole,
    ...part,
    ...(whole.properties === undefined ? {} : { properties: { ...whole.properties, ...part.properties } }),
    ...(whole.required === undefined ? {} : { required: [...whole.required, ...(part.required ?? [])] }),
  }));
}

function findSchema($ref: string): Schema {
  const name = $ref.replace('#/components/schemas/', '');
  if (!(name in SCHEMAS)) throw new Error(`openapi.json has no ${$ref}`);
  return SCHEMAS[name];
}

export function isNullable({ type, oneOf = [] }: Schema): boolean {
  return [type].flat().includes('null') || oneOf.some((one) => one.type === 'null');
}

/** Lists the violations of a schema, including unknown fields. */
export function findViolations(value: unknown, schema: Schema, path = ''): string[] {
  if (value === null) return isNullable(schema) ? [] : [`${path} is null`];
  const { oneOf, properties, ...own } = resolve(schema);
  if (oneOf !== undefined) return findKindViolations(value, oneOf, path);
  if (properties !== undefined) return findMemberViolations(value, { ...own, properties }, path);
  if (Array.isArray(value)) return listViolations(value, own, path);
  const broken = Object.entries(LIMITS).filter(([name, holds]) => name in own && !holds(value as never, own as never));
  return broken.map(([name]) => `${path} breaks ${name}: ${JSON.stringify(value)}`);
}

function findKindViolations(value: unknown, kinds: readonly Schema[], path: string): string[] {
  const each = kinds.map((kind) => findViolations(value, kind, path));
  if (each.filter((found) => found.length === 0).length > 1) return [`${path} is more than one of its kinds`];
  return each.toSorted((a, b) => a.length - b.length)[0];
}

function findMemberViolations(value: unknown, { properties = {}, required = [] }: Schema, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [`${path} is no object`];
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
  type: (value: unknown, { type }: { type: JsonType | readonly JsonType[] }) =>
    [type].flat().some((one) => (one === 'integer' ? Number.isInteger(value) : typeof value === one)),
  const: (value: unknown, schema: { const: unknown }) => value === schema.const,
  enum: (value: unknown, schema: { enum: readonly unknown[] }) => schema.enum.includes(value),
  format: (value: string, { format }: { format: string }) => FORMATS[format].test(value),
  pattern: (value: string, { pattern }: { pattern: string }) => new RegExp(pattern).test(value),
  minLength: (value: string, { minLength }: { minLength: number }) => value.length >= minLength,
  maxLength: (value: string, { maxLength }: { maxLength: number }) => value.length <= maxLength,
  minimum: (value: number, { minimum }: { minimum: number }) => value >= minimum,
  maximum: (value: number, { maximum }: { maximum: number }) => value <= maximum,
  exclusiveMinimum: (value: number, schema: { exclusiveMinimum: number }) => value > schema.exclusiveMinimum,
  exclusiveMaximum: (value: number, schema: { exclusiveMaximum: number }) => value < schema.exclusiveMaximum,
};
