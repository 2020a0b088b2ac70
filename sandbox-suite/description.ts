import { readFileSync } from 'node:fs';
import addFormats from 'ajv-formats';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';

/** A JSON value in the description. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };

export interface Operation {
  readonly method: string;
  /** Path template with `{parameters}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

export type JsonSchema = { readonly [keyword: string]: Json };
type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>;

interface DescribedResponse {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean; readonly schema?: JsonSchema }>>;
  readonly content?: Content;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface OpenApiDocument {
  readonly openapi: string;
  readonly servers?: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, 'method' | 'path'>>>>>;
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];
const VIOLATIONS_MAX = 5;

/** OpenAPI document that responses are validated against. It is read at run time, so the suite contains no schemas. */
export class Description {
  readonly operations: readonly Operation[];
  /** Path of the first server, which precedes all described paths. */
  readonly basePath: string;
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  private readonly validators = new Map<JsonSchema, ValidateFunction>();
  private readonly document: OpenApiDocument;

  constructor(document: Json) {
    this.document = document as unknown as OpenApiDocument;
    addFormats.default(this.ajv);
    this.ajv.addSchema(this.document, 'openapi');
    this.basePath = new URL(this.document.servers?.[0]?.url ?? '/', 'http://127.0.0.1').pathname.replace(/\/$/, '');
    this.operations = Object.entries(this.document.paths).flatMap(([path, item]) =>
      METHODS.filter((method) => method in item).map((method) => ({
        ...item[method],
        parameters: item[method].parameters ?? [],
        method,
        path,
      })),
    );
  }

  static read(file: string | URL): Description {
    return new Description(JSON.parse(readFileSync(file, 'utf8')) as Json);
  }

  /** @param pathname path of a request; a deployment may add any prefix to the described path */
  find(method: string, pathname: string): Operation | null {
    // A HEAD response equals the GET response without a body.
    const described = method === 'HEAD' ? 'get' : method.toLowerCase();
    const matches = this.operations.filter(
      (operation) => operation.method === described && buildPattern(operation.path).test(pathname),
    );
    return matches[0] ?? null;
  }

  /** Returns the differences between the response and the description. */
  findViolations(operation: Operation, response: ReceivedResponse, { hasBody = true } = {}): string[] {
    const described = operation.responses[String(response.status)];
    if (described === undefined) return [`the status ${response.status} is not described`];
    const violations = this.findInHeaders(described, response.headers);
    return (hasBody ? [...violations, ...this.findInBody(described, response)] : violations).slice(0, VIOLATIONS_MAX);
  }

  /** Resolves a `$ref` within the document. */
  resolve(reference: string): JsonSchema {
    const steps = reference.replace(/^#\//, '').split('/').map(decodeStep);
    return steps.reduce<Json>(
      (part, step) => (part as JsonSchema)[step],
      this.document as unknown as Json,
    ) as JsonSchema;
  }

  private findInHeaders({ headers = {} }: DescribedResponse, received: Headers): string[] {
    return Object.entries(headers).flatMap(([name, { required = false, schema }]) => {
      const text = received.get(name);
      if (text === null) return required ? [`the header ${name} is missing`] : [];
      return schema === undefined ? [] : this.findInHeader(name, text, schema);
    });
  }

  private findInHeader(name: string, text: string, schema: JsonSchema): string[] {
    const { type } = typeof schema.$ref === 'string' ? this.resolve(schema.$ref) : schema;
    const isNumeric = type === 'integer' || type === 'number';
    return this.validate(schema, isNumeric && text.trim() !== '' ? Number(text) : text).map(
      (problem) => `the header ${name}${problem}`,
    );
  }

  private findInBody({ content }: DescribedResponse, { headers, text }: ReceivedResponse): string[] {
    if (content === undefined) return text === '' ? [] : ['the response has a body, and none is described'];
    const mediaType = (headers.get('content-type') ?? '').split(';')[0].trim();
    const described = content[mediaType];
    if (described === undefined) return [`the media type "${mediaType}" is not described`];
    if (described.schema === undefined) return [];
    try {
      return this.validate(described.schema, JSON.parse(text)).map((problem) => `the body${problem}`);
    } catch (error) {
      if (error instanceof SyntaxError) return ['the body is not JSON'];
      throw error;
    }
  }

  private validate(schema: JsonSchema, value: unknown): string[] {
    const known = this.validators.get(schema);
    const validator = known ?? this.ajv.compile(withAbsoluteReferences(schema) as object);
    if (known === undefined) this.validators.set(schema, validator);
    return validator(value) ? [] : (validator.errors ?? []).map(formatError);
  }
}

function formatError({ instancePath, message = 'is wrong', params }: ErrorObject): string {
  return `${instancePath} ${message} ${JSON.stringify(params)}`;
}

function buildPattern(path: string): RegExp {
  const parts = path.split(/\{[^}]+\}/).map((part) => part.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&'));
  // The service ignores a trailing slash.
  return new RegExp(`${parts.join('[^/]+')}/?$`);
}

function decodeStep(step: string): string {
  return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Makes references absolute, so that they resolve in a schema that was extracted from the document. */
function withAbsoluteReferences(part: Json): Json {
  return mapObjects(part, (object) =>
    typeof object.$ref === 'string' ? { ...object, $ref: object.$ref.replace(/^#/, 'openapi#') } : object,
  );
}

function mapObjects(part: Json, change: (object: JsonSchema) => JsonSchema): Json {
  if (Array.isArray(part)) return part.map((item: Json) => mapObjects(item, change));
  if (part === null || typeof part !== 'object') return part;
  const members = Object.entries(part).map(([name, value]) => [name, mapObjects(value, change)]);
  return change(Object.fromEntries(members) as JsonSchema);
}
