import type { OpenAPIObject } from '@nestjs/swagger';

// Objects need no example because it is composed from the examples of their fields.

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  example?: unknown;
}

interface Content {
  readonly schema?: Schema;
  example?: unknown;
  examples?: unknown;
}

type Schemas = Readonly<Record<string, Schema>>;

/**
 * Composes missing examples of objects and lists from those of their fields, and missing examples of responses from
 * those of their bodies. Changes the document.
 */
export function composeExamples(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Schemas;
  for (const { properties = {} } of Object.values(schemas)) {
    for (const field of Object.values(properties)) field.example = composeExample(field, schemas);
  }
  for (const content of listResponses(document)) {
    const { schema = {}, example, examples } = content;
    if (example === undefined && examples === undefined) content.example = composeExample(schema, schemas);
  }
}

function composeExample(schema: Schema, schemas: Schemas): unknown {
  if (schema.example !== undefined) return schema.example;
  if (schema.items !== undefined) return [composeExample(schema.items, schemas)];
  const { properties = {}, required = [] } = schemas[getSchemaName(schema)] ?? {};
  const members = Object.entries(properties).filter(([name]) => required.includes(name));
  return members.length === 0
    ? undefined
    : Object.fromEntries(members.map(([name, member]) => [name, composeExample(member, schemas)]));
}

function getSchemaName({ $ref, allOf }: Schema): string {
  return ($ref ?? allOf?.[0]?.$ref ?? '').replace('#/components/schemas/', '');
}

function listResponses(document: OpenAPIObject): Content[] {
  const operations = Object.values(document.paths).flatMap(
    (methods) => Object.values(methods) as { responses?: object }[],
  );
  const responses = operations.flatMap(({ responses = {} }) => Object.values(responses) as { content?: object }[]);
  return responses.flatMap(({ content = {} }) => Object.values(content) as Content[]);
}
