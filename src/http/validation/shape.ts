import { type ValidationArguments, getMetadataStorage } from 'class-validator';
import { PROBLEMS_MAX } from '../../errors/api-error.js';
import type { Problem } from '../../errors/problem.js';
import { IN_BRACES, IN_BRACKETS } from './hints.js';

// class-validator's `validate()` builds arguments and error trees for every value. For 100 documents, that takes as
// long as the database. This engine compiles its metadata once per class and calls the same validators.

export type JsonObject = Readonly<Record<string, unknown>>;
export type DtoClass = abstract new () => object;

export interface RuleContext {
  /** Suffix of the rule identifier, such as `required` in `recipient_tin_required`. */
  readonly kind: string;
  readonly hint?: string | ((value: unknown, owner: JsonObject) => string | undefined);
  /** The validator's condition. It is called directly because calling the validator costs more than most rules. */
  readonly holds?: (value: unknown, owner: JsonObject) => boolean;
}

export interface ConditionContext {
  /** The condition never holds for undefined. */
  readonly isOfPresent: true;
}

export interface Shape {
  readonly name: string;
  readonly fields: readonly Field[];
  readonly members: ReadonlySet<string>;
  /** An object with all fields undefined. Its copies share a hidden class, which makes them fast to read. */
  readonly blank: JsonObject;
}

interface Field {
  readonly name: string;
  /** Whether an absent value skips all checks. */
  readonly isOptional: boolean;
  readonly conditions: readonly Condition[];
  readonly checks: readonly Check[];
  readonly nested: Nested | null;
}

interface Nested {
  readonly shape: Shape;
  readonly isList: boolean;
  readonly rule: string;
}

interface Check {
  readonly rule: string;
  readonly hint: RuleContext['hint'];
  readonly conditions: readonly Condition[];
  readonly isEach: boolean;
  readonly holds: (value: unknown, owner: JsonObject) => boolean;
  readonly message: (value: unknown, owner: JsonObject) => string;
}

interface NestedType {
  readonly type: () => DtoClass;
  readonly isList: boolean;
  readonly ruleScope: string;
}

type Condition = (owner: JsonObject, value: unknown) => boolean;
type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

const nestedTypes = new Map<object, Map<string, NestedType>>();

/** Records the class of a nested object or list, because ValidateNested does not record it. */
export function NestedShape(nested: NestedType): PropertyDecorator {
  return (prototype, property) => {
    const ofClass = nestedTypes.get(prototype) ?? new Map<string, NestedType>();
    nestedTypes.set(prototype, ofClass.set(String(property), nested));
  };
}

/**
 * Compiles the metadata of a class at startup.
 * @throws Error for a decorator that this engine does not support
 */
export function compileShape(dto: DtoClass, ruleScope = ''): Shape {
  return compile(dto, ruleScope, new Map());
}

export function toShallow(shape: Shape): Shape {
  return { ...shape, fields: shape.fields.map((field) => ({ ...field, nested: null })) };
}

/** Returns the shape without the checks of one member. The member remains declared. */
export function skipMember(shape: Shape, member: string): Shape {
  const fields = shape.fields.filter((field) => field.name !== member);
  return { ...shape, fields, blank: buildBlank(fields) };
}

export function listRuleIds(shape: Shape): string[] {
  const ids = shape.fields.flatMap(({ checks, nested }) => [
    ...checks.map((check) => check.rule),
    ...(nested === null ? [] : [nested.rule, ...listRuleIds(nested.shape)]),
  ]);
  return [...new Set(ids)];
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Checks one object and adds at most one problem per field. Returns only declared members: `undefined` for absent and
 * empty optional ones, `null` for invalid ones.
 */
export function checkShape(shape: Shape, owner: JsonObject, pointer: string, problems: Problem[]): JsonObject {
  const checked: Record<string, unknown> = { ...shape.blank };
  // A plain object inherits no member with a field name.
  const isPlain = Object.getPrototypeOf(owner) === Object.prototype;
  for (const field of shape.fields) {
    const sent = isPlain || Object.hasOwn(owner, field.name) ? owner[field.name] : undefined;
    if (sent === undefined && field.isOptional) continue;
    const value = checkField(field, { owner, value: sent }, pointer, problems);
    if (value !== undefined) checked[field.name] = value;
  }
  return checked;
}

function buildBlank(fields: readonly Field[]): JsonObject {
  return Object.fromEntries(fields.map(({ name }) => [name, undefined]));
}

function checkField(
  field: Field,
  { owner, value }: { readonly owner: JsonObject; readonly value: unknown },
  pointer: string,
  problems: Problem[],
): unknown {
  if (!allHold(field.conditions, owner, value)) return undefined;
  for (const check of field.checks) {
    const at = findBrokenPointer(check, owner, value);
    if (at === null) continue;
    const problem = {
      pointer: `${pointer}/${field.name}${at}`,
      rule: check.rule,
      message: check.message(value, owner),
    };
    problems.push(problems.length < PROBLEMS_MAX ? addHint(problem, check, { owner, value }) : problem);
    return null;
  }
  if (field.nested === null || value === undefined || value === null) return value ?? undefined;
  return checkNested(field.nested, value, `${pointer}/${field.name}`, problems);
}

/** Skips the hint if the response is already truncated. */
function addHint(
  problem: Problem,
  { hint: tell }: Check,
  { owner, value }: { readonly owner: JsonObject; readonly value: unknown },
): Problem {
  const hint = typeof tell === 'function' ? tell(value, owner) : tell;
  return hint === undefined ? problem : { ...problem, hint };
}

function checkNested(nested: Nested, value: unknown, pointer: string, problems: Problem[]): unknown {
  if (!nested.isList) return checkItem(nested, value, pointer, problems);
  if (!Array.isArray(value)) {
    problems.push({ pointer, rule: nested.rule, message: 'must be an array', hint: IN_BRACKETS });
    return null;
  }
  return value.map((item: unknown, index) => checkItem(nested, item, `${pointer}/${index}`, problems));
}

function checkItem(nested: Nested, value: unknown, pointer: string, problems: Problem[]): JsonObject | null {
  if (isJsonObject(value)) return checkShape(nested.shape, value, pointer, problems);
  problems.push({ pointer, rule: nested.rule, message: 'must be an object', hint: IN_BRACES });
  return null;
}

function findBrokenPointer(check: Check, owner: JsonObject, value: unknown): string | null {
  if (!allHold(check.conditions, owner, value)) return null;
  if (!check.isEach || !Array.isArray(value)) return check.holds(value, owner) ? null : '';
  const index = value.findIndex((item: unknown) => !check.holds(item, owner));
  return index === -1 ? null : `/${index}`;
}

function allHold(conditions: readonly Condition[], owner: JsonObject, value: unknown): boolean {
  for (const condition of conditions) if (!condition(owner, value)) return false;
  return true;
}

function compile(dto: DtoClass, ruleScope: string, known: Map<string, Shape>): Shape {
  const key = `${dto.name} ${ruleScope}`;
  const earlier = known.get(key);
  if (earlier !== undefined) return earlier;
  const fields: Field[] = [];
  const members = new Set<string>();
  const blank: Record<string, unknown> = {};
  const shape: Shape = { name: dto.name, fields, members, blank };
  // Registered before its fields are compiled, so that a class may contain itself. The depth of a body is limited.
  known.set(key, shape);
  for (const [property, metadata] of metadataByProperty(dto)) {
    members.add(property);
    fields.push(compileField({ dto, property, ruleScope, known }, metadata));
    blank[property] = undefined;
  }
  if (fields.length === 0) throw new Error(`${dto.name} declares no rules`);
  return shape;
}

function metadataByProperty(dto: DtoClass): Map<string, Metadata[]> {
  const byProperty = new Map<string, Metadata[]>();
  for (const metadata of getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false)) {
    const ofProperty = byProperty.get(metadata.propertyName) ?? [];
    byProperty.set(metadata.propertyName, [...ofProperty, metadata]);
  }
  return byProperty;
}

interface FieldContext {
  readonly dto: DtoClass;
  readonly property: string;
  readonly ruleScope: string;
  readonly known: Map<string, Shape>;
}

function compileField(fieldContext: FieldContext, all: readonly Metadata[]): Field {
  const where = `${fieldContext.dto.name}.${fieldContext.property}`;
  if (fieldContext.property in Object.prototype) throw new Error(`${where}: the name is a member of every object`);
  const conditions: Condition[] = [];
  const checks: Check[] = [];
  let nested: Nested | null = null;
  for (const metadata of all) {
    if ((metadata.groups ?? []).length > 0) throw new Error(`${where}: validation groups are not supported`);
    if (metadata.type === 'conditionalValidation') conditions.push(readCondition(metadata, where));
    else if (metadata.type === 'nestedValidation') nested = compileNested(fieldContext, where);
    else if (metadata.type === 'customValidation' || metadata.type === 'isDefined') {
      checks.push(...compileChecks(metadata, fieldContext, where));
    } else throw new Error(`${where}: validation of type ${metadata.type} is not supported`);
  }
  return { name: fieldContext.property, isOptional: all.some(isOfPresent), conditions, checks, nested };
}

function isOfPresent({ type, context }: Metadata): boolean {
  return type === 'conditionalValidation' && (context as ConditionContext | undefined)?.isOfPresent === true;
}

function readCondition(metadata: Metadata, where: string): Condition {
  const condition: unknown = metadata.constraints[0];
  if (typeof condition !== 'function') throw new Error(`${where}: the condition is not a function`);
  return condition as Condition;
}

function compileNested(fieldContext: FieldContext, where: string): Nested {
  const declared = findNestedType(fieldContext.dto, fieldContext.property);
  if (declared === null) throw new Error(`${where}: the class of the nested value is not declared`);
  const shape = compile(declared.type(), declared.ruleScope, fieldContext.known);
  return { shape, isList: declared.isList, rule: toRuleId(fieldContext, declared.isList ? 'item_type' : 'type') };
}

function findNestedType(dto: DtoClass, property: string): NestedType | null {
  let prototype: unknown = dto.prototype;
  while (typeof prototype === 'object' && prototype !== null) {
    const declared = nestedTypes.get(prototype)?.get(property);
    if (declared !== undefined) return declared;
    prototype = Object.getPrototypeOf(prototype);
  }
  return null;
}

function compileChecks(metadata: Metadata, fieldContext: FieldContext, where: string): Check[] {
  const constraints = getMetadataStorage().getTargetValidatorConstraints(metadata.constraintCls);
  if (constraints.length === 0) throw new Error(`${where}: the validator has no constraint class`);
  return constraints.map((constraint): Check => {
    if (constraint.async) throw new Error(`${where}: asynchronous validation is not supported`);
    const context = metadata.context as RuleContext | undefined;
    const instance = constraint.instance;
    const toArgs = (value: unknown, object: JsonObject): ValidationArguments => ({
      targetName: fieldContext.dto.name,
      property: fieldContext.property,
      object,
      value,
      constraints: metadata.constraints,
    });
    return {
      rule: toRuleId(fieldContext, context?.kind ?? snakeCase(constraint.name)),
      hint: context?.hint,
      conditions: metadata.validateIf === undefined ? [] : [metadata.validateIf],
      isEach: metadata.each,
      holds: context?.holds ?? ((value, owner) => Boolean(instance.validate(value, toArgs(value, owner)))),
      message: (value, owner) => {
        const args = toArgs(value, owner);
        return buildMessage(metadata.message || instance.defaultMessage?.(args), args);
      },
    };
  });
}

/** Fills in class-validator's message template. Omits the property name, because the pointer contains it. */
function buildMessage(template: Metadata['message'] | undefined, args: ValidationArguments): string {
  const text = typeof template === 'function' ? template(args) : (template ?? 'is not valid');
  return text
    .replace(/^\$property /, '')
    .replaceAll('$property', args.property)
    .replaceAll(/\$constraint(\d+)/g, (_token, position) => String(args.constraints[Number(position) - 1]));
}

function toRuleId(fieldContext: FieldContext, kind: string): string {
  return [fieldContext.ruleScope, snakeCase(fieldContext.property), kind].filter((part) => part !== '').join('_');
}

export function snakeCase(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}
