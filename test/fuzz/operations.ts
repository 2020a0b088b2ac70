import { readFileSync } from 'node:fs';

export interface Operation {
  readonly operationId: string;
  readonly method: string;
  /** Includes `/api` and parameters in braces. */
  readonly path: string;
  readonly query: readonly string[];
  /** A valid body, if the operation has one. */
  readonly body: unknown;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
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

/** Lists the operations of both API descriptions. */
export function listOperations(): Operation[] {
  return ['../../openapi.json', '../../dashboard/openapi.json'].flatMap((file) => {
    const description = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as Description;
    return Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, parameters = [], requestBody }]) => ({
        operationId,
        method: method.toUpperCase(),
        // The description of the four endpoints has `/api` in its server URL.
        path: path.replace(/^(?!\/api\/)/, '/api'),
        query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
        body: buildExample(requestBody?.content['application/json']?.schema, description),
      })),
    );
  });
}

const PLAIN: Readonly<Record<string, unknown>> = { string: 'Contoh', number: 1, integer: 1, boolean: true };

function buildExample(schema: Schema | undefined, description: Description): unknown {
  if (schema === undefined) return undefined;
  const { $ref, allOf, oneOf } = schema;
  if ($ref !== undefined) {
    return buildExample(description.components.schemas[$ref.split('/').at(-1) ?? ''], description);
  }
  const part = allOf?.[0] ?? oneOf?.[0];
  return part === undefined ? buildPlain(schema, description) : buildExample(part, description);
}

function buildPlain({ type = '', example, properties, items, ...schema }: Schema, description: Description): unknown {
  if (example !== undefined) return example;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (items !== undefined) return [buildExample(items, description)];
  if (properties === undefined) return PLAIN[[type].flat()[0]] ?? null;
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, buildExample(property, description)]),
  );
}
