import { format } from 'prettier';
import { expect, it } from 'vitest';
import { type ApiOperation, type Content, OPERATIONS, resolve, SCHEMAS, type Schema } from './api-description.js';

// Generates the page from openapi.json. `npx vitest run test/docs/reference.spec.ts --update` writes it.

const TITLES: readonly (readonly [operation: string, title: string])[] = [
  ['submit', 'Submit'],
  ['submitDryRun', 'Dry run'],
  ['readSubmissionStatus', 'Status'],
  ['validateTaxpayerTin', 'TIN check'],
  ['cancel', 'Cancel'],
];
const OTHER_SPELLING = / (Also accepted|Required; also accepted) as `(\w+)`\./;

/** Lists the object schemas that a schema references. */
const namesOf = ({ $ref, oneOf = [], items }: Schema): string[] => {
  const name = $ref?.replace('#/components/schemas/', '');
  const own = name === undefined || SCHEMAS[name].enum !== undefined ? [] : [name];
  return [...own, ...oneOf.flatMap(namesOf), ...(items === undefined ? [] : namesOf(items))];
};
const membersOf = (name: string): Readonly<Record<string, Schema>> => resolve(SCHEMAS[name]).properties ?? {};
const titleOf = (name: string): string => name.replace(/Dto$/, '').replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');

// Lists other responses by name only. The reference at /docs describes all fields.
const RESPONSES_DESCRIBED = new Set(['SubmissionStatusDto', 'DocumentStatusDto']);

const code = (text: string): string => `\`${text}\``;

function valuesOf(schema: Schema, text: string): string {
  const { const: only, enum: values = [only ?? null] } = resolve(schema);
  const shown = values.flatMap((value) => (value === null ? [] : [code(JSON.stringify(value).replaceAll('"', ''))]));
  return shown.every((value) => text.includes(value)) ? '' : ` (${shown.join(', ')})`;
}

function sizeOf({ maxLength, minItems, maxItems }: Schema): string {
  if (maxLength !== undefined) return ` (≤${maxLength})`;
  return minItems === undefined || maxItems === undefined ? '' : ` (${minItems}–${maxItems})`;
}

// Texts that the page states once for all fields.
const SAID_ONCE =
  / (?:Also accepted|Required; also accepted) as `\w+`\.| Computed; a value that is sent must equal it to the sen\. Any number of decimals| At most 2 decimals(?=\.|, below)| and 15 significant digits|, below 10,000,000,000,000\.?| in MYR(?=[,;. ])/g;

/** Formats a request field with its description and limits. */
function requestField(schema: Schema, name: string): string {
  const member = schema.properties?.[name] ?? {};
  const { description = '' } = member;
  const [, presence, other] = OTHER_SPELLING.exec(description) ?? [];
  const text = description.replaceAll(SAID_ONCE, '').replace(/\.$/, '');
  const names = other === undefined ? code(name) : `${code(name)} or ${code(other)}`;
  const isRequired = schema.required?.includes(name) === true || (presence ?? '').startsWith('Required');
  return `- ${names}${isRequired ? '\\*' : ''}: ${text}${sizeOf(member)}${valuesOf(member, text)}`;
}

function requestFields(schema: Schema): string {
  return Object.keys(schema.properties ?? {})
    .map((name) => requestField(schema, name))
    .join('\n');
}

/** Returns the text up to the first period, colon or semicolon. The rest describes behaviour, which rules.md covers. */
function firstClause(text: string): string {
  const [clause = ''] = /^`[^`]+`[,:] [^.;:]+|^(?:[^.;:(]|[.;:](?! |$))+/.exec(text) ?? [];
  return clause.trim();
}

function responseBody(name: string): string {
  const members = Object.entries(membersOf(name));
  if (!RESPONSES_DESCRIBED.has(name)) {
    return `**${titleOf(name)}**: ${members.map(([member, schema]) => `${code(member)}${valuesOf(schema, '')}`).join(', ')}`;
  }
  const lines = members.map(([member, schema]) => {
    const clause = firstClause(schema.description ?? '');
    return `- ${code(member)}: ${clause}${valuesOf(schema, clause)}`;
  });
  return `**${titleOf(name)}**:\n\n${lines.join('\n')}`;
}

/** Lists the error fields that some errors omit. */
function errorFields(name: string): string {
  const members = Object.keys(membersOf(name)).filter((member) => !(member in ERROR_MEMBERS));
  const { code: { const: errorCode } = {} } = membersOf(name);
  return members.length === 0 ? '' : `- ${code(String(errorCode))}: ${members.map(code).join(', ')}`;
}

/** Lists an object schema and all nested object schemas. */
function bodiesOf(schema: Schema): string[] {
  return namesOf(schema).flatMap((name) => [name, ...Object.values(membersOf(name)).flatMap(bodiesOf)]);
}

type Header = readonly [name: string, description: string | undefined];

function headerLines(entries: readonly Header[], describedBefore: readonly Header[] = []): string {
  const isDescribed = ([name, text]: Header): boolean =>
    describedBefore.some(([earlier, earlierText]) => earlier === name && earlierText === text);
  return [...new Map(entries)]
    .map((header) => `- ${header[0]}: ${isDescribed(header) ? 'see Submit' : firstClause(header[1] ?? '')}`)
    .join('\n');
}

function operationOf(id: string): ApiOperation {
  const operation = OPERATIONS.get(id);
  if (operation === undefined) throw new Error(`openapi.json has no operation ${id}`);
  return operation;
}

/** Returns the bodies of a request. Shows one variant of a submit because all differ only in the recipient. */
function requestBodiesOf(id: string): [title: string, schema: Schema][] {
  const schemaOf = (operation: string): Schema | undefined =>
    operationOf(operation).requestBody?.content['application/json'].schema;
  const schema = schemaOf(id);
  const isMet = TITLES.findIndex(([operation]) => schemaOf(operation)?.$ref === schema?.$ref) < indexOf(id);
  if (schema === undefined || isMet) return [];
  const { oneOf: [kind = schema] = [] } = resolve(schema);
  const [root, ...within] = bodiesOf(kind);
  return [
    [titleOf(namesOf(schema)[0]), SCHEMAS[root]],
    ...within.map((name): [string, Schema] => [titleOf(name), SCHEMAS[name]]),
  ];
}

const contentOf = (content?: Readonly<Record<'application/json', Content>>): string[] =>
  content === undefined ? [] : bodiesOf(content['application/json'].schema);
const isSuccess = (status: string): boolean => status.startsWith('2');
const bodiesOfResponses = (id: string, isShown: (status: string) => boolean): string[] =>
  Object.entries(operationOf(id).responses).flatMap(([status, { content }]) =>
    isShown(status) ? contentOf(content) : [],
  );

const indexOf = (id: string): number => TITLES.findIndex(([operation]) => operation === id);

const parametersOf = (id: string): Header[] =>
  operationOf(id)
    .parameters.filter(({ name }) => name !== 'X-Request-Id')
    .map(({ name, required, description }) => [`${code(name)}${required === true ? '\\*' : ''}`, description]);

function operationSection(id: string, sectionTitle: string): string {
  return [
    `## ${sectionTitle}`,
    headerLines(parametersOf(id), id === 'submit' ? [] : parametersOf('submit')),
    ...requestBodiesOf(id).map(
      ([title, schema]) => `### ${title}

${requestFields(schema)}`,
    ),
    '### Response',
    ...firstMet(id).map(responseBody),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Lists response bodies that no earlier operation returns. */
function firstMet(id: string): string[] {
  const earlier = TITLES.slice(
    0,
    TITLES.findIndex(([operation]) => operation === id),
  ).flatMap(([operation]) => bodiesOfResponses(operation, isSuccess));
  return [...new Set(bodiesOfResponses(id, isSuccess))].filter((name) => !earlier.includes(name));
}

const allIds = TITLES.map(([id]) => id);
const errorBodies = [...new Set(allIds.flatMap((id) => bodiesOfResponses(id, (status) => !isSuccess(status))))];
const ERROR_MEMBERS = SCHEMAS.ErrorDto.properties ?? {};
const isError = (name: string): boolean => 'requestId' in membersOf(name);

function responseHeaders(): string {
  const headers = allIds.flatMap((id) =>
    Object.values(operationOf(id).responses).flatMap((response) => Object.entries(response.headers ?? {})),
  );
  return headerLines(headers.map(([name, { description }]) => [code(name), description]));
}

function page(): string {
  return `# Reference

This page lists every request and response field of the four endpoints for client teams. It is generated from
\`openapi.json\` by \`npx vitest run test/docs/reference.spec.ts --update\`. A running
service shows types and examples at \`/docs\`.

\\* marks a required field, (≤50) the length of a string, and (1–100) the size of a list. The [rules](rules.md#body-rules)
explain how fields depend on each other. Unknown response values are null. Times are in UTC. Amounts are in MYR with at
most 2 decimals unless stated otherwise.

${TITLES.map(([id, title]) => operationSection(id, title)).join('\n\n')}

## Response headers

${responseHeaders()}

## Error bodies

Every error body has ${Object.keys(ERROR_MEMBERS).map(code).join(', ')}. These [codes](errors.md) have more:

${errorBodies.filter(isError).map(errorFields).filter(Boolean).join('\n')}

${errorBodies
  .filter((name) => !isError(name))
  .map(responseBody)
  .join('\n\n')}
`;
}

it('docs/reference.md matches openapi.json', async () => {
  const written = await format(page(), { parser: 'markdown', printWidth: 120 });
  await expect(written).toMatchFileSnapshot('../../docs/reference.md');
});

it('docs/reference.md contains every field of the four endpoints', () => {
  const text = page();
  const bodies = allIds.flatMap((id) => [
    ...contentOf(operationOf(id).requestBody?.content),
    ...bodiesOfResponses(id, () => true),
  ]);
  const fields = [...new Set(bodies)].flatMap((name) => Object.keys(membersOf(name)));
  expect(fields.length).toBeGreaterThan(100);
  expect(fields.filter((field) => !text.includes(`\`${field}\``))).toEqual([]);
});
