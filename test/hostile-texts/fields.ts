import { readFileSync } from 'node:fs';

export interface TextField {
  readonly operationId: string;
  readonly method: string;
  /** Includes `/api` and parameters in braces. */
  readonly path: string;
  readonly kind: 'member' | 'name' | 'query' | 'path';
  /** JSON Pointer of a member, or the name of a parameter. */
  readonly name: string;
  /** Builds the request body with the text in this field. */
  readonly buildBody: ((text: string) => unknown) | undefined;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly example?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Lists the text fields of all operations in both API descriptions. */
export function listTextFields(): TextField[] {
  return [
    { file: '../../openapi.json', prefix: '/api' },
    { file: '../../dashboard/openapi.json', prefix: '' },
  ].flatMap(({ file, prefix }) => {
    const description = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as Description;
    return Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, described]) =>
        listFieldsOf({ path: prefix + path, method: method.toUpperCase(), described }, description),
      ),
    );
  });
}

interface OperationAt {
  readonly path: string;
  readonly method: string;
  readonly described: Described;
}

function listFieldsOf({ path, method, described }: OperationAt, description: Description): TextField[] {
  const { operationId, parameters = [], requestBody } = described;
  const schema = requestBody?.content['application/json']?.schema;
  const example = schema === undefined ? undefined : buildExample(schema, description);
  const own = { operationId, method, path };
  const buildBody = schema === undefined ? undefined : (): unknown => example;
  const members = schema === undefined ? [] : listMembers(schema, description);
  return [
    ...members.map((name) => ({
      ...own,
      kind: 'member' as const,
      name,
      buildBody: (text: string) => replaceAt(example, name.split('/').slice(1), text),
    })),
    ...(schema === undefined
      ? []
      : [
          {
            ...own,
            kind: 'name' as const,
            name: '',
            buildBody: (text: string) => ({ ...(example as object), [text]: 1 }),
          },
        ]),
    ...parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name }) => ({ ...own, kind: 'query' as const, name, buildBody })),
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ ...own, kind: 'path' as const, name, buildBody })),
  ];
}

function resolve(schema: Schema, description: Description): Schema {
  const { $ref, allOf, oneOf } = schema;
  if ($ref !== undefined) return resolve(description.components.schemas[$ref.split('/').at(-1) ?? ''], description);
  const part = allOf?.[0] ?? oneOf?.[0];
  return part === undefined ? schema : { ...resolve(part, description), example: schema.example };
}

/** Returns JSON Pointers to the texts of a body, with list position 0. */
function listMembers(schema: Schema, description: Description): string[] {
  const { type = [], items, properties = {} } = resolve(schema, description);
  if (items !== undefined) return listMembers(items, description).map((pointer) => `/0${pointer}`);
  if ([type].flat().includes('string')) return [''];
  return Object.entries(properties).flatMap(([name, property]) =>
    listMembers(property, description).map((pointer) => `/${name}${pointer}`),
  );
}

/** Values of a submit body for which all other members are checked. */
const CHOSEN: Readonly<Record<string, string>> = {
  submission_type: 'non-consolidated',
  documentType: 'credit_note',
  document_date: '2026-01-31',
};

/** Builds a value with every member, because rules may compare members. */
function buildExample(schema: Schema, description: Description): unknown {
  const { type = [], example, enum: choices, items, properties } = resolve(schema, description);
  if (items !== undefined) return [buildExample(items, description)];
  if (properties !== undefined) {
    return Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, CHOSEN[name] ?? buildExample(property, description)]),
    );
  }
  if (example !== undefined) return example;
  if (choices !== undefined) return choices[0];
  return [type].flat().includes('string') ? 'Contoh' : 1;
}

function replaceAt(value: unknown, [token, ...others]: readonly string[], text: string): unknown {
  if (token === undefined) return text;
  if (Array.isArray(value)) return value.map((item) => replaceAt(item, others, text));
  const owner = value as Readonly<Record<string, unknown>>;
  return { ...owner, [token]: replaceAt(owner[token], others, text) };
}
