import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/errors/error-codes.js';
import { readText } from '../docs/pages.js';

// Compares names, required fields, nullability and known values of the client's types with openapi.json.

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly nullable?: boolean;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

interface Content {
  readonly content: { readonly 'application/json': { readonly schema: Schema } };
}

interface Operation {
  readonly requestBody: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

const description = JSON.parse(readText('openapi.json')) as {
  paths: Record<string, Record<'get' | 'post', Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** Resolves references and separates null. */
function resolve(schema: Schema): Schema {
  const referred = schema.$ref === undefined ? {} : description.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  const parts = [referred, ...(schema.allOf ?? []), ...alternativesOf(schema).slice(0, 1)];
  return parts.filter((part) => part !== schema).reduce<Schema>((sum, part) => merge(sum, part), schema);
}

function merge(one: Schema, other: Schema): Schema {
  const resolved = other.$ref === undefined && other.allOf === undefined ? other : resolve(other);
  return {
    ...resolved,
    ...one,
    type: resolved.type ?? one.type,
    properties: { ...resolved.properties, ...one.properties },
    required: [...(resolved.required ?? []), ...(one.required ?? [])],
  };
}

const isNull = ({ type }: Schema): boolean => type === 'null';

function alternativesOf({ oneOf = [], anyOf = [] }: Schema): Schema[] {
  return [...oneOf, ...anyOf].filter((schema) => !isNull(schema));
}

function isNullable(schema: Schema): boolean {
  const { type, nullable = false, enum: values = [], oneOf = [], anyOf = [] } = schema;
  return nullable || values.includes(null) || [type].flat().includes('null') || [...oneOf, ...anyOf].some(isNull);
}

const file = fileURLToPath(new URL('../../clients/typescript/src/types.ts', import.meta.url));
const errorsFile = fileURLToPath(new URL('../../clients/typescript/src/errors.ts', import.meta.url));
const program = ts.createProgram([file, errorsFile], {
  strict: true,
  lib: ['lib.es2022.d.ts'],
  types: [],
});
const checker = program.getTypeChecker();

function findType(name: string, inFile = file): ts.Type {
  const source = program.getSourceFile(inFile);
  const module = source && checker.getSymbolAtLocation(source);
  const symbol = module && checker.getExportsOfModule(module).find((one) => one.name === name);
  if (symbol === undefined) throw new Error(`${inFile} has no type ${name}`);
  return checker.getDeclaredTypeOfSymbol(symbol);
}

function partsOf(type: ts.Type): ts.Type[] {
  return type.isUnion() ? type.types.flatMap(partsOf) : [type];
}

const hasFlag = (type: ts.Type, flag: ts.TypeFlags): boolean => (type.flags & flag) !== 0;

/** Returns the literals of a union as JSON. */
function literalsOf(types: readonly ts.Type[]): string[] {
  return types
    .filter((type) => hasFlag(type, ts.TypeFlags.Literal))
    .map((type) => (type.isStringLiteral() ? JSON.stringify(type.value) : checker.typeToString(type)))
    .sort();
}

/** Returns the differences between a type and a schema. */
function compare(type: ts.Type, schema: Schema, path: string): string[] {
  const types = partsOf(type).filter((part) => !hasFlag(part, ts.TypeFlags.Undefined));
  const present = types.filter((part) => !hasFlag(part, ts.TypeFlags.Null));
  const isNullableType = present.length < types.length;
  const nulls =
    isNullableType === isNullable(schema)
      ? []
      : [`${path}: null in ${isNullableType ? 'the type' : 'the schema'} alone`];
  return [...nulls, ...compareValues(present, resolve(schema), path)];
}

function compareValues(types: readonly ts.Type[], schema: Schema, path: string): string[] {
  const known = literalsOf(types);
  const [type] = types;
  if (schema.items !== undefined) {
    const element = checker.getTypeArguments(type as ts.TypeReference).at(0);
    return element === undefined ? [`${path}: no list in the type`] : compare(element, schema.items, `${path}[]`);
  }
  const named = nameKind(types);
  if (named === 'object') return compareMembers(type, schema, path);
  const kind = [schema.type].flat().find((one) => one !== 'null');
  const listed = known.length === 0 || named === 'boolean' ? '' : listValues(schema);
  const said = listed === '' ? named : known.join();
  const described = listed === '' ? String(kind).replace('integer', 'number') : listed;
  return said === described ? [] : [`${path}: ${said} in the type, ${described} in the schema`];
}

/** `boolean` is a union of two literals. */
function nameKind(types: readonly ts.Type[]): string {
  if (types.length === 2 && types.every((type) => hasFlag(type, ts.TypeFlags.BooleanLike))) return 'boolean';
  if (literalsOf(types).length > 0) return 'one of some values';
  const kinds: [ts.TypeFlags, string][] = [
    [ts.TypeFlags.String, 'string'],
    [ts.TypeFlags.Number, 'number'],
  ];
  return kinds.find(([flag]) => hasFlag(types[0], flag))?.[1] ?? 'object';
}

function listValues({ enum: values, const: constant }: Schema): string {
  const listed = values ?? (constant === undefined ? [] : [constant]);
  return listed
    .filter((value) => value !== null)
    .map((value) => JSON.stringify(value))
    .toSorted()
    .join();
}

function compareMembers(type: ts.Type, { properties = {}, required = [] }: Schema, path: string): string[] {
  const members = new Map(checker.getPropertiesOfType(type).map((member) => [member.name, member]));
  const unknown = Object.keys(properties).filter((name) => !members.has(name));
  const differences = [...members].flatMap(([name, member]) => {
    const at = `${path}.${name}`;
    if (!Object.hasOwn(properties, name)) return [`${at}: in the type alone`];
    const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0;
    const isOff = isOptional === required.includes(name);
    const optional = isOff ? [`${at}: ${isOptional ? 'optional' : 'required'} in the type alone`] : [];
    return [...optional, ...compare(checker.getTypeOfSymbol(member), properties[name], at)];
  });
  return [...unknown.map((name) => `${path}.${name}: in the schema alone`), ...differences];
}

/** Merges the schemas of two variants of a request. A field is required if both require it. */
function unite(one: Schema, other: Schema): Schema {
  const [first, second] = [one, other].map((kind): Schema => ({ ...resolve(kind), $ref: undefined, allOf: undefined }));
  if (first.const !== second.const) return { ...first, const: undefined, enum: [first.const, second.const] };
  if (first.items !== undefined && second.items !== undefined)
    return { ...first, items: unite(first.items, second.items) };
  const members = Object.entries(first.properties ?? {}).map(([name, member]) => {
    const counterpart = second.properties?.[name];
    return [name, counterpart === undefined ? member : unite(member, counterpart)] as const;
  });
  return {
    ...first,
    ...(first.properties === undefined ? {} : { properties: Object.fromEntries(members) }),
    required: first.required?.filter((name) => second.required?.includes(name)),
  };
}

/** A request type may be stricter than the service: one spelling and no null. */
const NARROWER = /: (?:null in the schema|required in the type) alone$/;

const schemaOf = ({ content }: Content): Schema => content['application/json'].schema;
const find = (end: string): Record<'get' | 'post', Operation> => {
  const [, operations] = Object.entries(description.paths).find(([path]) => path.endsWith(end)) ?? [];
  if (operations === undefined) throw new Error(`openapi.json has no ${end}`);
  return operations;
};
const submit = find('/submit').post;
const cancel = find('/cancel').post;
const [nonConsolidated, consolidated] = alternativesOf(resolve(schemaOf(submit.requestBody))) as [Schema, Schema];

describe('types.ts and openapi.json', () => {
  it.each([
    ['SubmitRequest', unite(nonConsolidated, consolidated), 30],
    ['SubmitAccepted', schemaOf(submit.responses[200]), 10],
    ['DryRun', schemaOf(find('/submit/dry-run').post.responses[200]), 10],
    ['SubmissionStatus', schemaOf(find('/status').get.responses[200]), 50],
    ['TaxpayerCheck', schemaOf(find('/{tin}').get.responses[200]), 5],
    ['CancelRequest', schemaOf(cancel.requestBody), 2],
    ['CancelAccepted', schemaOf(cancel.responses[202]), 5],
  ])('agree on %s', (name, schema, leavesMin) => {
    const isRequest = name.endsWith('Request');
    const differences = compare(findType(name), schema, name);
    expect(differences.filter((difference) => !(isRequest && NARROWER.test(difference)))).toEqual([]);
    // An empty comparison would pass.
    const wrong = compare(findType(name), { type: 'object', properties: mapLeaves(schema) }, name);
    expect(wrong.length).toBeGreaterThanOrEqual(leavesMin);
  });

  it('have the same error codes except those of readiness', () => {
    const codes = Object.entries(ERROR_CODES)
      .filter(([, entry]) => !('operations' in entry) || entry.operations.some((operation) => operation !== 'ready'))
      .map(([code]) => JSON.stringify(code));
    expect(literalsOf(partsOf(findType('ServiceErrorCode', errorsFile)))).toEqual(codes.toSorted());
  });
});

/** Changes the type of every field in a schema. */
function mapLeaves(schema: Schema): Record<string, Schema> {
  const { properties = {} } = resolve(schema);
  return Object.fromEntries(
    Object.entries(properties).map(([name, member]) => {
      const resolved = resolve(member);
      const inner = resolved.items === undefined ? resolved : resolve(resolved.items);
      if (inner.properties === undefined || Object.keys(inner.properties).length === 0) return [name, { type: 'none' }];
      const object: Schema = { type: 'object', properties: mapLeaves(inner) };
      return [name, resolved.items === undefined ? object : { type: 'array', items: object }];
    }),
  );
}
