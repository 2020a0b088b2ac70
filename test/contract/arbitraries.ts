import fc from 'fast-check';
import type { Description, JsonSchema } from '../../sandbox-suite/description.js';

const DEPTH_MAX = 8;
const ITEMS_MORE_MAX = 3;
const LENGTH_MORE_MAX = 20;
/** Weight relative to one unknown value. Most requests should pass the first checks. */
const DESCRIBED_WEIGHT = 60;
/** Examples satisfy rules that a schema cannot express, such as a date in the past. */
const EXAMPLE_WEIGHT = 4;

/** Generates values that match a schema, and occasionally invalid ones. */
export class SchemaArbitraries {
  constructor(private readonly description: Description) {}

  from(schema: JsonSchema): fc.Arbitrary<unknown> {
    return this.build(schema, 0);
  }

  private build(given: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    const schema = this.flatten(given);
    const described = this.described(schema, depth);
    const examples = listExamples(schema);
    const arbitraries = [
      { weight: DESCRIBED_WEIGHT, arbitrary: described },
      { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown> },
    ];
    if (examples.length > 0) {
      arbitraries.push({ weight: DESCRIBED_WEIGHT * EXAMPLE_WEIGHT, arbitrary: fc.constantFrom(...examples) });
    }
    return fc.oneof(...arbitraries);
  }

  private described(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    if ('const' in schema) return fc.constant(schema.const);
    if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
    const choices = (schema.oneOf ?? schema.anyOf) as readonly JsonSchema[] | undefined;
    if (choices !== undefined) return fc.oneof(...choices.map((choice) => this.build(choice, depth)));
    const types = Array.isArray(schema.type) ? (schema.type as string[]) : [schema.type as string | undefined];
    return fc.oneof(...types.map((type) => this.ofType(type, schema, depth)));
  }

  private ofType(type: string | undefined, schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    const make: Record<string, () => fc.Arbitrary<unknown>> = {
      object: () => this.object(schema, depth),
      array: () => this.array(schema, depth),
      string: () => text(schema),
      integer: () => fc.integer(limits(schema)),
      number: () => amount(schema),
      boolean: () => fc.boolean(),
      null: () => fc.constant(null),
    };
    const kind = type ?? ('properties' in schema ? 'object' : undefined);
    return depth > DEPTH_MAX || kind === undefined ? fc.jsonValue({ maxDepth: 2 }) : make[kind]();
  }

  private object({ properties = {}, required = [] }: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    const members = Object.entries(properties as Record<string, JsonSchema>);
    const model = Object.fromEntries(members.map(([name, member]) => [name, this.build(member, depth + 1)]));
    return fc.record(model, { requiredKeys: (required as string[]).filter((name) => name in model) });
  }

  private array({ items = {}, minItems = 0, maxItems }: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    const minLength = Number(minItems);
    const maxLength = Math.min(Number(maxItems ?? Infinity), minLength + ITEMS_MORE_MAX);
    return fc.array(this.build(items as JsonSchema, depth + 1), { minLength, maxLength });
  }

  /** Resolves references and merges the parts of `allOf`. */
  private flatten({ $ref, allOf, ...own }: JsonSchema): JsonSchema {
    const parts = [
      ...(typeof $ref === 'string' ? [this.description.resolve($ref)] : []),
      ...((allOf ?? []) as readonly JsonSchema[]),
    ];
    if (parts.length === 0) return own;
    const merged = Object.assign({}, ...parts.map((part) => this.flatten(part))) as JsonSchema;
    return { ...merged, ...own };
  }
}

function listExamples({ example, examples }: JsonSchema): unknown[] {
  if (Array.isArray(examples)) return examples;
  return example === undefined ? [] : [example];
}

function text({ format, pattern, minLength = 0, maxLength }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  const min = Number(minLength);
  const max = Number(maxLength ?? Infinity);
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern)).filter(({ length }) => length <= max);
  const size = { minLength: min, maxLength: Math.min(max, min + LENGTH_MORE_MAX) };
  return fc.oneof(fc.string(size), fc.string({ ...size, unit: 'binary' }));
}

function limits({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonSchema): { min?: number; max?: number } {
  const min = minimum ?? exclusiveMinimum;
  const max = maximum ?? exclusiveMaximum;
  return { ...(typeof min === 'number' && { min }), ...(typeof max === 'number' && { max }) };
}

/** Generates typical amounts and arbitrary doubles within the limits. */
function amount(schema: JsonSchema): fc.Arbitrary<number> {
  const { min = -1e15, max = 1e15 } = limits(schema);
  const sen = fc.integer({
    min: Math.ceil(Math.max(min, -1_000) * 100),
    max: Math.floor(Math.min(max, 100_000) * 100),
  });
  return fc.oneof(
    { weight: 8, arbitrary: sen.map((value) => value / 100) },
    { weight: 1, arbitrary: fc.double({ min, max, noNaN: true }) },
  );
}
