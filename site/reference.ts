import type { ApiDescription, Operation, Parameter, ResponseDescription, Schema } from './api-description.js';
import { type Page, toAddress } from './markdown.js';
import { buildTryForm } from './try-form.js';

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** A page for each operation of openapi.json, with a list of them first. */
export function buildReferencePages(description: ApiDescription): Page[] {
  const endpoints = listEndpoints(description);
  return [
    { path: 'reference', title: 'Reference', markdown: formatIndex(description, endpoints) },
    ...endpoints.map((endpoint) => ({
      path: `reference/${endpoint.operation.operationId}`,
      title: endpoint.operation.summary,
      markdown: new ReferenceText(description).format(endpoint),
      parts: { tryIt: buildTryForm(endpoint, description) },
    })),
  ];
}

export function listEndpoints({ paths }: ApiDescription): Endpoint[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function formatIndex({ info }: ApiDescription, endpoints: readonly Endpoint[]): string {
  return [
    '# Reference',
    info.description,
    '## Operations',
    endpoints
      .map(
        ({ method, path, operation: { operationId, summary } }) =>
          `- [${summary}](${toAddress(`reference/${operationId}`)}): \`${method} ${path}\``,
      )
      .join('\n'),
    'The description for tools is [openapi.json](/api/docs-json), also as [YAML](/api/docs-yaml).',
  ].join('\n\n');
}

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** One operation as Markdown: what may be sent, what may come back. */
class ReferenceText {
  constructor(private readonly description: ApiDescription) {}

  format({ method, path, operation }: Endpoint): string {
    const { summary, description = '', parameters = [], requestBody, responses } = operation;
    const body = requestBody?.content['application/json'];
    const [, other] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
    const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400);
    return [
      `# ${summary}`,
      `\`${method} ${this.description.servers[0].url}${path}\``,
      description,
      ...(parameters.length === 0 ? [] : ['## Parameters', this.listParameters(parameters)]),
      ...(body === undefined ? [] : ['## Request body', this.listFields(this.firstKind(body.schema))]),
      ...Object.entries(body?.examples ?? {}).map(([, { summary: title, value }]) => formatExample(title ?? '', value)),
      '## Try it',
      '<!-- part tryIt -->',
      '## Response',
      ...(other === undefined ? [] : this.formatResponse(other)),
      '## Errors',
      ...errors.map(([status, response]) => formatErrors(status, response)),
    ].join('\n\n');
  }

  private listParameters(parameters: readonly Parameter[]): string {
    return parameters
      .map(({ name, in: location, required = false, description = '', schema }) =>
        this.formatField(name, { ...schema, description }, { isRequired: required, location }),
      )
      .join('\n');
  }

  private formatResponse({ description, headers = {}, content }: ResponseDescription): string[] {
    const json = content?.['application/json'];
    return [
      description,
      ...Object.entries(headers).map(([name, header]) => `- Header \`${name}\`: ${header.description ?? ''}`),
      ...(json === undefined ? [] : [this.listFields(json.schema)]),
      ...(json?.example === undefined ? [] : [formatExample('Example', json.example)]),
    ];
  }

  /** The kinds of a submit body differ in the recipient alone, whose description names the difference. */
  private firstKind(schema: Schema): Schema {
    const { oneOf: [kind = schema] = [] } = this.resolve(schema);
    return kind;
  }

  private listFields(schema: Schema): string {
    return this.fieldsOf(schema, '')
      .map(({ name, schema: field, isRequired }) => this.formatField(name, field, { isRequired }))
      .join('\n');
  }

  /** The fields of an object and of the objects in it, each with its whole path. */
  private fieldsOf(schema: Schema, prefix: string): Field[] {
    const whole = this.resolve(schema);
    const { properties = {}, required = [] } = whole;
    return [
      ...(whole.allOf ?? []).flatMap((part) => this.fieldsOf(part, prefix)),
      ...Object.entries(properties).flatMap(([member, value]) => {
        const name = `${prefix}${member}`;
        const field = { name, schema: value, isRequired: required.includes(member) };
        const inner = this.objectIn(value);
        return [field, ...(inner === null ? [] : this.fieldsOf(inner, `${name}${this.isList(value) ? '[]' : ''}.`))];
      }),
    ];
  }

  private objectIn(schema: Schema): Schema | null {
    const whole = this.resolve(schema);
    if (whole.properties !== undefined || whole.allOf !== undefined) return whole;
    const [part] = whole.items === undefined ? (whole.oneOf ?? []) : [whole.items];
    return part === undefined ? null : this.objectIn(part);
  }

  private isList(schema: Schema): boolean {
    return this.resolve(schema).items !== undefined;
  }

  private resolve(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    const { $ref, ...own } = schema;
    return { ...this.resolve(this.description.components.schemas[$ref.replace(/^.*\//, '')]), ...own };
  }

  private formatField(
    name: string,
    schema: Schema,
    { isRequired, location }: { isRequired: boolean; location?: string },
  ): string {
    const whole = this.resolve(schema);
    const facts = [location, this.nameType(schema), isRequired ? '**required**' : '', formatLimits(whole)].filter(
      Boolean,
    );
    const values = this.listValues(schema);
    const among = values.length === 0 ? '' : ` One of ${values.map((value) => `\`${value}\``).join(', ')}.`;
    return `- \`${name}\` (${facts.join(', ')}): ${oneLine(schema.description ?? whole.description ?? '')}${among}`;
  }

  private listValues(schema: Schema): string[] {
    const { enum: values, const: only, oneOf = [] } = this.resolve(schema);
    if (only !== undefined) return [only];
    return values === undefined ? oneOf.flatMap((one) => this.listValues(one)) : [...values];
  }

  private nameType(schema: Schema): string {
    const { type, items, oneOf, properties, allOf } = this.resolve(schema);
    if (items !== undefined) return `list of ${this.nameType(items)}`;
    if (oneOf !== undefined) return oneOf.map((one) => this.nameType(one)).join(' or ');
    if (properties !== undefined || allOf !== undefined) return 'object';
    return [type ?? 'any'].flat().join(' or ');
  }
}

function formatLimits(schema: Schema): string {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum } = schema;
  return [
    formatRange(minLength, maxLength, 'characters'),
    formatRange(minItems, maxItems, 'entries'),
    formatRange(minimum, maximum, ''),
    schema.exclusiveMinimum === undefined ? '' : `above ${schema.exclusiveMinimum}`,
    schema.exclusiveMaximum === undefined ? '' : `below ${schema.exclusiveMaximum}`,
  ]
    .filter(Boolean)
    .join(', ');
}

function formatRange(min: number | undefined, max: number | undefined, unit: string): string {
  if (min === undefined && max === undefined) return '';
  if (min === undefined) return `at most ${max} ${unit}`.trim();
  if (max === undefined) return `at least ${min} ${unit}`.trim();
  return `${min} to ${max} ${unit}`.trim();
}

/** The list of all codes that follows a description is on the page of the errors. */
function oneLine(text: string): string {
  return text
    .replace(/ [^.]*:\n\n- [\s\S]*$/, '')
    .replaceAll('docs/errors.md', `[Errors](${toAddress('errors')})`)
    .replaceAll(/\s*\n+\s*/g, ' ');
}

function formatExample(title: string, value: object): string {
  return `${title}:\n\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

/** The codes of a status, each with a link to its page. */
function formatErrors(status: string, { description }: ResponseDescription): string {
  return description
    .split('\n\n')
    .map(
      (line) =>
        `- ${status} ${line.replace(/^`(\w+)`/, (_, code: string) => `[${code}](${toAddress(`errors/${code}`)})`)}`,
    )
    .join('\n');
}
