import type { OpenAPIObject } from '@nestjs/swagger';
import { buildEnumSchemas, EMPTY_CHOICE, referToEnum } from './named-enums.js';

// Nest creates schemas of OpenAPI 3.0. OpenAPI 3.1 uses JSON Schema: null is a type, an exclusive bound is a number, a
// constant is `const`, and other keywords may accompany `$ref`.

interface Schema30 {
  readonly type?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly Schema30[];
  readonly items?: Schema30;
  readonly properties?: Readonly<Record<string, Schema30>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly example?: unknown;
}

type Schema31 = Readonly<Record<string, unknown>>;

interface SchemaHolder {
  schema?: object;
}

interface Described {
  readonly headers?: Readonly<Record<string, SchemaHolder>>;
  readonly content?: Readonly<Record<string, SchemaHolder>>;
}

interface Operation {
  readonly parameters?: readonly SchemaHolder[];
  readonly requestBody?: Described;
  readonly responses: Readonly<Record<string, Described>>;
}

/** Converts the document to OpenAPI 3.1 in place, with named enum schemas. */
export function convertToOpenApi31(document: OpenAPIObject): void {
  document.openapi = '3.1.0';
  const schemas = (document.components ??= {}).schemas ?? {};
  document.components.schemas = {
    ...mapValues(schemas as Record<string, Schema30>, convertSchema),
    ...buildEnumSchemas(),
  };
  for (const holder of listSchemaHolders(document)) {
    if (holder.schema !== undefined) holder.schema = convertSchema(holder.schema);
  }
}

function listSchemaHolders({ paths }: OpenAPIObject): SchemaHolder[] {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods) as Operation[]);
  return operations.flatMap(({ parameters = [], requestBody = {}, responses }) => [
    ...parameters,
    ...[requestBody, ...Object.values(responses)].flatMap(({ headers = {}, content = {} }) => [
      ...Object.values(headers),
      ...Object.values(content),
    ]),
  ]);
}

// All other keywords are copied.
const REWRITTEN: ReadonlySet<string> = new Set<keyof Schema30>([
  'type',
  'nullable',
  'enum',
  'allOf',
  'items',
  'properties',
  'required',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'example',
]);

function convertSchema(schema: Schema30): Schema31 {
  const { items, example } = schema;
  return {
    ...convertType(schema),
    ...Object.fromEntries(Object.entries(schema).filter(([keyword]) => !REWRITTEN.has(keyword))),
    ...(items === undefined ? {} : { items: convertSchema(items) }),
    ...convertBounds(schema),
    ...(example === undefined ? {} : { examples: [example] }),
  };
}

function convertType(schema: Schema30): Schema31 {
  if (schema.properties !== undefined) return convertObject(schema);
  const { type, nullable, enum: values = [], allOf = [] } = schema;
  const choices = values.filter((value) => value !== null && value !== EMPTY_CHOICE);
  const [reference] = choices.length > 1 ? [referToEnum(choices)] : allOf;
  const none = listMissingValues(schema);
  if (reference !== undefined) return none.length > 0 ? { oneOf: [reference, ...none] } : { ...reference };
  if (choices.length === 1) return { type, const: choices[0] };
  return type === undefined ? {} : { type: nullable === true ? [type, 'null'] : type };
}

function listMissingValues({ nullable, enum: values = [] }: Schema30): Schema31[] {
  const empty = values.includes(EMPTY_CHOICE) ? [referToEnum([EMPTY_CHOICE])] : [];
  return nullable === true ? [...empty, { type: 'null' }] : empty;
}

function convertBounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema30): Schema31 {
  return {
    ...(minimum === undefined ? {} : { [exclusiveMinimum === true ? 'exclusiveMinimum' : 'minimum']: minimum }),
    ...(maximum === undefined ? {} : { [exclusiveMaximum === true ? 'exclusiveMaximum' : 'maximum']: maximum }),
  };
}

/** Adds an extending object's own properties to its `allOf`, where all generators find them. */
function convertObject({ type, allOf, properties = {}, required = [] }: Schema30): Schema31 {
  const members = {
    type,
    properties: mapValues(properties, convertSchema),
    ...(required.length === 0 ? {} : { required }),
  };
  return allOf === undefined ? members : { allOf: [...allOf, members] };
}

function mapValues<From, To>(values: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
