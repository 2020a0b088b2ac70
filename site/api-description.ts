import { readSource } from './sources.js';

/** Schema in which each reference is replaced by the referenced schema. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly examples?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface JsonBody {
  readonly schema: Schema;
  readonly example?: object;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: object }>>;
}

type JsonContent = Readonly<Record<'application/json', JsonBody>>;

export interface ResponseDescription {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description?: string }>>;
  readonly content?: JsonContent;
}

export interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: JsonContent };
  readonly responses: Readonly<Record<string, ResponseDescription>>;
  readonly security: readonly object[];
}

interface ApiDescription {
  readonly info: { readonly description: string };
  readonly servers: readonly [{ readonly url: string }];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Endpoint, 'method' | 'path'>>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const source = JSON.parse(readSource('openapi.json')) as ApiDescription;

export const API_SUMMARY = source.info.description;
/** Path of the interface below the host: `/api`. */
export const BASE_PATH = source.servers[0].url;

/** Endpoints in the order of openapi.json. */
export const ENDPOINTS: readonly Endpoint[] = Object.entries(source.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    ...(withoutReferences(operation) as typeof operation),
  })),
);

function withoutReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutReferences);
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...own } = value as { readonly $ref?: string };
  const members = Object.fromEntries(Object.entries(own).map(([name, member]) => [name, withoutReferences(member)]));
  if ($ref === undefined) return members;
  const schema = source.components.schemas[$ref.replace('#/components/schemas/', '')];
  return { ...(withoutReferences(schema) as object), ...members };
}
