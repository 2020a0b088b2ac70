import type { OpenAPIObject } from '@nestjs/swagger';
import { EMPTY_CHOICE } from './named-enums.js';
import { ALIAS } from '../http/validation/fields.js';

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Property>>;
  required?: string[];
}

interface Operation {
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> };
}

type Property = Schema & { nullable?: boolean; enum?: readonly string[]; [ALIAS]?: string };

/**
 * Extends schemas of request bodies by values that the service also accepts: null for optional members, an empty text
 * for optional choices, and other spellings of members. Changes the document, which must be OpenAPI 3.0.
 */
export function relaxRequests({ paths, components }: OpenAPIObject): void {
  const schemas = (components?.schemas ?? {}) as Record<string, Schema>;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods) as Operation[]);
  const bodies = operations.flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}));
  const relaxed = new Set<string>();
  for (const { schema } of bodies) relax(schema, schemas, relaxed);
}

function relax(
  { $ref, allOf = [], items }: Schema,
  schemas: Readonly<Record<string, Schema>>,
  relaxed: Set<string>,
): void {
  for (const part of [...allOf, ...(items === undefined ? [] : [items])]) relax(part, schemas, relaxed);
  const name = $ref?.split('/').at(-1);
  if (name === undefined || relaxed.has(name)) return;
  relaxed.add(name);
  relaxMembers(schemas[name]);
  for (const property of Object.values(schemas[name].properties ?? {})) relax(property, schemas, relaxed);
}

function relaxMembers(schema: Schema): void {
  const { properties = {}, required = [] } = schema;
  schema.required = required.filter((member) => properties[member][ALIAS] === undefined);
  for (const [member, property] of Object.entries(properties)) {
    delete property[ALIAS];
    if (schema.required.includes(member)) continue;
    property.nullable = true;
    if (property.enum !== undefined) property.enum = [...property.enum, EMPTY_CHOICE];
  }
}
