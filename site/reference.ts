import {
  API_SUMMARY,
  BASE_PATH,
  type Endpoint,
  ENDPOINTS,
  type JsonBody,
  type ResponseDescription,
  type Schema,
} from './api-description.js';
import { FORM_PLACEHOLDER, type Page, toAddress } from './markdown.js';
import { buildTryForm } from './try-form.js';

/** Builds an index page and a page for each operation of openapi.json. */
export function buildReferencePages(): Page[] {
  return [
    { path: 'reference', title: 'Reference', markdown: formatIndex() },
    ...ENDPOINTS.map((endpoint) => ({
      path: `reference/${endpoint.operationId}`,
      title: endpoint.summary,
      markdown: formatEndpoint(endpoint),
      form: buildTryForm(endpoint),
    })),
  ];
}

function formatIndex(): string {
  const operations = ENDPOINTS.map(
    ({ method, path, operationId, summary }) =>
      `- [${summary}](${toAddress(`reference/${operationId}`)}): \`${method} ${path}\``,
  );
  return [
    '# Reference',
    API_SUMMARY,
    '## Operations',
    operations.join('\n'),
    'The description for tools is [openapi.json](/api/docs-json), also as [YAML](/api/docs-yaml).',
  ].join('\n\n');
}

function formatEndpoint(endpoint: Endpoint): string {
  const { method, path, summary, description = '', parameters = [], requestBody, responses } = endpoint;
  const body = requestBody?.content['application/json'];
  const [success] = Object.keys(responses).flatMap((status) => (status.startsWith('2') ? [responses[status]] : []));
  const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  const parameterList = parameters.map(({ name, in: location, required = false, description: text = '', schema }) =>
    formatField(name, { ...schema, description: text }, [location, required]),
  );
  return [
    `# ${summary}`,
    `\`${method} ${BASE_PATH}${path}\``,
    description,
    ...(parameters.length === 0 ? [] : ['## Parameters', parameterList.join('\n')]),
    ...(body === undefined ? [] : formatRequestBody(body)),
    '## Try it',
    FORM_PLACEHOLDER,
    '## Response',
    ...formatResponse(success),
    '## Errors',
    ...errors.map(([status, response]) => formatErrors(status, response)),
  ].join('\n\n');
}

function formatRequestBody({ schema, examples = {} }: JsonBody): string[] {
  return [
    '## Request body',
    // The kinds of a submit body differ only in the recipient, whose description states the difference.
    listFields(schema.oneOf?.[0] ?? schema),
    ...Object.values(examples).map(({ summary = '', value }) => formatExample(summary, value)),
  ];
}

function formatResponse({ description, headers = {}, content }: ResponseDescription): string[] {
  const json = content?.['application/json'];
  return [
    description,
    ...Object.entries(headers).map(([name, header]) => `- Header \`${name}\`: ${header.description ?? ''}`),
    ...(json === undefined ? [] : [listFields(json.schema)]),
    ...(json?.example === undefined ? [] : [formatExample('Example', json.example)]),
  ];
}

/** Lists the fields of an object and of the objects in it, each with its full path. */
function listFields(schema: Schema, prefix = ''): string {
  const { properties = {}, required = [], allOf = [] } = schema;
  return [
    ...allOf.map((part) => listFields(part, prefix)),
    ...Object.entries(properties).flatMap(([member, value]) => {
      const name = `${prefix}${member}`;
      const inner = findObject(value);
      return [
        formatField(name, value, ['', required.includes(member)]),
        ...(inner === null ? [] : [listFields(inner, `${name}${value.items === undefined ? '' : '[]'}.`)]),
      ];
    }),
  ].join('\n');
}

function findObject(schema: Schema): Schema | null {
  if (schema.properties !== undefined || schema.allOf !== undefined) return schema;
  const part = schema.items ?? schema.oneOf?.[0];
  return part === undefined ? null : findObject(part);
}

function formatField(name: string, schema: Schema, [location, isRequired]: [string, boolean]): string {
  const facts = [location, nameType(schema), isRequired ? '**required**' : '', formatLimits(schema)].filter(Boolean);
  const values = listValues(schema).map((value) => `\`${value}\``);
  const among = values.length === 0 ? '' : ` One of ${values.join(', ')}.`;
  return `- \`${name}\` (${facts.join(', ')}): ${toOneLine(schema.description ?? '')}${among}`;
}

function listValues({ enum: values = [], const: only, oneOf = [] }: Schema): readonly string[] {
  if (only !== undefined) return [only];
  return values.length > 0 ? values : oneOf.flatMap(listValues);
}

function nameType({ type = 'any', items, oneOf, properties, allOf }: Schema): string {
  if (items !== undefined) return `list of ${nameType(items)}`;
  if (oneOf !== undefined) return oneOf.map(nameType).join(' or ');
  if (properties !== undefined || allOf !== undefined) return 'object';
  return [type].flat().join(' or ');
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

/** Joins the lines of a description. Omits a list of error codes at its end, which the Errors page contains. */
function toOneLine(text: string): string {
  return text
    .replace(/ [^.]*:\n\n- [\s\S]*$/, '')
    .replaceAll('docs/errors.md', `[Errors](${toAddress('errors')})`)
    .replaceAll(/\s*\n+\s*/g, ' ');
}

function formatExample(title: string, value: object): string {
  return `${title}:\n\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

/** Lists the error codes of a status with links to their pages. */
function formatErrors(status: string, { description }: ResponseDescription): string {
  return description
    .split('\n\n')
    .map(
      (line) =>
        `- ${status} ${line.replace(/^`(\w+)`/, (_, code: string) => `[${code}](${toAddress(`errors/${code}`)})`)}`,
    )
    .join('\n');
}
