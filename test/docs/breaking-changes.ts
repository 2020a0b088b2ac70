// Finds breaking changes between two API descriptions (site/pages/versioning.md). Reads OpenAPI 3.0 and 3.1, because the
// baseline may use the older version.

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly nullable?: boolean;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

interface Described {
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

interface Body {
  readonly headers?: Readonly<Record<string, Described>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly examples?: object }>>;
}

interface Operation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly Described[];
  readonly requestBody?: Body & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Body>>;
}

export interface Description {
  readonly servers?: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Break {
  /** Name of the field, header, code, status or URL in the CHANGELOG. */
  readonly name: string;
  readonly what: string;
}

interface Field {
  readonly name: string;
  readonly isRequired: boolean;
  readonly types: ReadonlySet<string>;
  /** Null if any value is allowed. */
  readonly values: ReadonlySet<unknown> | null;
  /** Upper limits and negated lower limits, so that a smaller number is always stricter. */
  readonly limits: Readonly<Record<string, number>>;
  readonly form: string;
}

type Fields = ReadonlyMap<string, Field>;

interface Promised {
  readonly operationId: string;
  readonly security: string;
  readonly request: Fields;
  readonly responses: ReadonlyMap<string, { readonly fields: Fields; readonly codes: ReadonlySet<string> }>;
}

/** Lists the guarantees of the older description that the newer one breaks. */
export function listBreaks(older: Description, newer: Description): Break[] {
  const [before, after] = [older, newer].map(readPromises);
  return [...before].flatMap(([address, promised]) => {
    const kept = after.get(address);
    if (kept === undefined) return [{ name: address, what: `${address} was removed` }];
    return compareOperations(promised, kept).map(({ name, what }) => ({ name, what: `${address}: ${what}` }));
  });
}

function compareOperations(before: Promised, after: Promised): Break[] {
  const breaks: Break[] = [];
  if (before.operationId !== after.operationId)
    breaks.push({ name: before.operationId, what: `the operationId is ${after.operationId}` });
  if (before.security !== after.security) breaks.push({ name: 'security', what: `the keys are ${after.security}` });
  breaks.push(...compareRequests(before.request, after.request));
  for (const [status, { fields, codes }] of before.responses) {
    const kept = after.responses.get(status);
    if (kept === undefined) breaks.push({ name: status, what: `the status ${status} was removed` });
    else {
      const lost = [...codes].filter((code) => !kept.codes.has(code));
      breaks.push(...lost.map((code) => ({ name: code, what: `${status} no longer has the code ${code}` })));
      breaks.push(...compareResponses(fields, kept.fields, status));
    }
  }
  return breaks;
}

function compareRequests(before: Fields, after: Fields): Break[] {
  const removed = [...before].filter(([path]) => !after.has(path));
  const changed = [...after].flatMap(([path, field]) => {
    const earlier = before.get(path);
    const found =
      earlier === undefined ? (field.isRequired ? ['is new and required'] : []) : listStricter(earlier, field);
    return found.map((what) => ({ name: field.name, what: `request ${path} ${what}` }));
  });
  return [...removed.map(([path, { name }]) => ({ name, what: `request ${path} was removed` })), ...changed];
}

/** Lists the reasons why the newer request field rejects values that the older one accepts. */
function listStricter(before: Field, after: Field): string[] {
  const lostTypes = [...before.types].filter((type) => !accepts(after.types, type));
  const lostValues =
    after.values === null ? [] : [...(before.values ?? ['other values'])].filter((value) => !after.values?.has(value));
  const limits = Object.entries(after.limits).filter(([name, limit]) => limit < (before.limits[name] ?? Infinity));
  return [
    ...(after.isRequired && !before.isRequired ? ['became required'] : []),
    ...lostTypes.map((type) => `no longer takes a ${type}`),
    ...(lostTypes.length > 0 ? [] : lostValues.map((value) => `no longer takes ${String(value)}`)),
    ...limits.map(([name]) => `has a stricter ${name}`),
    ...(after.form === before.form || after.form === '' ? [] : [`has the form ${after.form}`]),
  ];
}

function compareResponses(before: Fields, after: Fields, status: string): Break[] {
  return [...before].flatMap(([path, field]) => {
    const later = after.get(path);
    const found = later === undefined ? ['was removed'] : listLooser(field, later);
    return found.map((what) => ({ name: field.name, what: `${status} ${path} ${what}` }));
  });
}

/** Lists new types of a response field's value. New enum values are not breaking. */
function listLooser(before: Field, after: Field): string[] {
  const newTypes = [...after.types].filter((type) => !accepts(before.types, type));
  return [
    ...(before.isRequired && !after.isRequired ? ['can be absent'] : []),
    ...newTypes.map((type) => `can be a ${type}`),
    ...(before.form === '' || after.form === before.form || after.values !== null
      ? []
      : [`no longer has the form ${before.form}`]),
  ];
}

function accepts(types: ReadonlySet<string>, type: string): boolean {
  return types.has(type) || (type === 'integer' && types.has('number'));
}

function readPromises(description: Description): Map<string, Promised> {
  const base = description.servers?.[0]?.url ?? '';
  return new Map(
    Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Promised] => [
        `${method.toUpperCase()} ${base}${path}`,
        readOperation(operation, description.components.schemas),
      ]),
    ),
  );
}

function readOperation(operation: Operation, schemas: Description['components']['schemas']): Promised {
  const { operationId, security = [], parameters = [], requestBody, responses } = operation;
  const fieldsOf = (described: readonly Described[], body: Body | undefined): Fields =>
    new Map([
      ...described.flatMap(({ name = '', in: location = 'header', required = false, schema = {} }) => [
        ...readFields(schema, { path: `${location} ${name}`, name, isRequired: required }, schemas),
      ]),
      ...Object.values(body?.content ?? {}).flatMap(({ schema }) => [
        ...readFields(schema, { path: 'body', name: 'body', isRequired: true }, schemas),
      ]),
    ]);
  return {
    operationId,
    security: security
      .flatMap((one) => Object.keys(one))
      .toSorted()
      .join(' or '),
    request: fieldsOf(parameters, requestBody),
    responses: new Map(
      Object.entries(responses).map(([status, body]) => [
        status,
        {
          fields: fieldsOf(
            Object.entries(body.headers ?? {}).map(([name, header]) => ({ ...header, name })),
            body,
          ),
          codes: new Set(
            Object.values(body.content ?? {}).flatMap(({ examples = {} }) =>
              Number(status) < 400 ? [] : Object.keys(examples),
            ),
          ),
        },
      ]),
    ),
  };
}

interface FieldPath {
  readonly path: string;
  readonly name: string;
  readonly isRequired: boolean;
}

/** Returns a field and all nested fields by path. */
function readFields(schema: Schema, field: FieldPath, schemas: Readonly<Record<string, Schema>>): Map<string, Field> {
  const { oneOf = [], ...whole } = merge(schema, schemas);
  const kinds = oneOf.map((kind) => merge(kind, schemas)).filter(({ type }) => type !== 'null');
  if (kinds.length > 0) {
    const isNullable = kinds.length < oneOf.length;
    const each = kinds.map((kind) =>
      readFields({ ...kind, nullable: isNullable || kind.nullable === true }, field, schemas),
    );
    return unite(each, field.path);
  }
  const { path, name, isRequired } = field;
  const within = [
    ...Object.entries(whole.properties ?? {}).flatMap(([member, own]) => {
      const memberPath = {
        path: `${path}.${member}`,
        name: member,
        isRequired: whole.required?.includes(member) === true,
      };
      return [...readFields(own, memberPath, schemas)];
    }),
    ...(whole.items === undefined
      ? []
      : readFields(whole.items, { path: `${path}[]`, name, isRequired: false }, schemas)),
  ];
  return new Map([[path, { name, isRequired, ...readLimits(whole) }], ...within]);
}

function readLimits(schema: Schema): Omit<Field, 'name' | 'isRequired'> {
  const types = [schema.type ?? 'object'].flat();
  const values = schema.const === undefined ? schema.enum : [schema.const];
  const limit = (keyword: string, exclusive?: string): number | undefined =>
    [exclusive === undefined ? undefined : schema[exclusive], schema[keyword]].find((one) => typeof one === 'number');
  const upper = {
    maxLength: limit('maxLength'),
    maxItems: limit('maxItems'),
    maximum: limit('maximum', 'exclusiveMaximum'),
  };
  const lower = {
    minLength: limit('minLength'),
    minItems: limit('minItems'),
    minimum: limit('minimum', 'exclusiveMinimum'),
  };
  const limits = [
    ...Object.entries(upper),
    ...Object.entries(lower).map(([name, least]) => [name, least === undefined ? undefined : -least] as const),
  ].filter((entry): entry is [string, number] => entry[1] !== undefined);
  return {
    types: new Set(schema.nullable === true ? [...types, 'null'] : types),
    values: values === undefined ? null : new Set(values.filter((value) => value !== null)),
    limits: Object.fromEntries(limits),
    form: [schema.format, schema.pattern].filter((part) => part !== undefined).join(' '),
  };
}

/** Merges the fields of all variants of a body. A field is required if every variant requires it. */
function unite(kinds: readonly Fields[], root: string): Map<string, Field> {
  const paths = new Set(kinds.flatMap((kind) => [...kind.keys()]));
  return new Map(
    [...paths].map((path) => {
      const found = kinds.flatMap((kind) => kind.get(path) ?? []);
      const values = found.map((field) => field.values);
      const owner = path.replace(/(?:\.[^.]+|\[\])$/, '');
      const isWithin = (other: string): boolean => other.startsWith(`${owner}.`) || other.startsWith(`${owner}[`);
      // A variant that accepts any value requires no fields.
      const holders = path === root ? kinds : kinds.filter((kind) => [...kind.keys()].some(isWithin));
      return [
        path,
        {
          ...found[0],
          isRequired: found.length === holders.length && found.every(({ isRequired }) => isRequired),
          types: new Set(found.flatMap(({ types }) => [...types])),
          values: values.includes(null) ? null : new Set(values.flatMap((some) => [...(some ?? [])])),
        },
      ];
    }),
  );
}

/** Returns the schema with its references and parts merged. */
function merge(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  const { $ref, allOf = [], ...own } = schema;
  const parts = [...($ref === undefined ? [] : [schemas[$ref.replace('#/components/schemas/', '')]]), ...allOf];
  return [...parts.map((part) => merge(part, schemas)), own].reduce<Schema>(
    (whole, part) => ({
      ...whole,
      ...part,
      properties: { ...whole.properties, ...part.properties },
      required: [...(whole.required ?? []), ...(part.required ?? [])],
    }),
    {},
  );
}
