import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { ValidateBy, ValidateIf, ValidateNested } from 'class-validator';
import { didYouMean, createSuggester } from '../../common/nearest.js';
import { AMOUNT_LIMIT, SIGNIFICANT_DIGITS_MAX } from '../../common/decimal.js';
import { type AmountBounds, GROUPED_LIMIT, listAmountLimits } from './amount-limits.js';
import { labelled } from './labels.js';
import {
  type Hint,
  type OwnedHint,
  IN_BRACES,
  IN_BRACKETS,
  forbiddenCharacterHint,
  limitHint,
  missingNumberHint,
  quotedHint,
  shortenHint,
  unquotedHint,
} from './hints.js';
import {
  type ConditionContext,
  type DtoClass,
  type JsonObject,
  NestedShape,
  type RuleContext,
  isJsonObject,
} from './shape.js';
import { findLookAlike } from './look-alikes.js';
import { type TextLayout, hasForbiddenCharacters, hasVisible, isAtMost } from './text.js';

// Each decorator derives the rules and the OpenAPI limits of a field from the same options.

export const ALIAS = 'x-alias';

export interface FieldOptions {
  readonly description: string;
  /** Name of the field for accountants. Its alias has the same label. */
  readonly label?: string;
  /** Shown in OpenAPI, and in hints if there is no better suggestion. */
  readonly example?: unknown;
  readonly missingHint?: string | ((owner: JsonObject) => string);
  /** Default true. A member with a function is optional in OpenAPI. */
  readonly required?: boolean | ((owner: JsonObject) => boolean);
  /** Alternative name of this member. If both are sent, their values must be equal (docs/rules.md#body-rules). */
  readonly alias?: string;
  /** Marks this member as the alias of another. Aliases are omitted from OpenAPI. */
  readonly aliasOf?: string;
}

interface TextOptions extends FieldOptions {
  /** Maximum length in code points, as in JSON Schema, excluding surrounding white space. */
  readonly maxLength: number;
  /** Suggests a correction. A field with a hint or `format` contains a code, which must not be shortened. */
  readonly hint?: OwnedHint;
  readonly layout?: TextLayout;
  readonly format?: { readonly pattern: RegExp; readonly message: string; readonly hint?: string };
  /** Rejects look-alike characters in names of people, organisations and keys. */
  readonly isName?: boolean;
}

interface ChoiceOptions extends FieldOptions {
  readonly choices: readonly string[];
  readonly hint?: Hint;
}

type AmountOptions = FieldOptions & AmountBounds;

interface WholeNumberOptions extends FieldOptions {
  readonly minimum: number;
  readonly maximum: number;
}

interface ObjectOptions extends FieldOptions {
  readonly ruleScope: string;
  readonly refused?: { readonly when: (owner: JsonObject) => boolean; readonly message: string; readonly hint: string };
  readonly listHint?: string;
}

interface ListOptions extends FieldOptions {
  readonly ruleScope: string;
  readonly minItems: number;
  readonly maxItems: number;
  readonly maxItemsReason?: (count: number) => string;
  readonly maxItemsHint?: string;
}

/** Declares a string that is stored without surrounding white space. An empty string is a missing value. */
export function TextField(options: TextOptions): PropertyDecorator {
  const { maxLength, layout = 'line', format, isName = false } = options;
  const hint = limitHint(options.hint, maxLength);
  const example = exampleHint(options);
  const isCode = options.hint !== undefined || format !== undefined;
  const tooLong: OwnedHint = (value, owner) =>
    hint(value, owner) ?? (isCode ? (format?.hint ?? example) : undefined) ?? shortenHint(value, maxLength);
  const quoted: Hint = (value) => (isWritable(value, format?.pattern) ? quotedHint(value) : undefined);
  const unclean: Hint = (value) =>
    forbiddenCharacterHint(value, (character) => hasForbiddenCharacters(character, layout));
  const decorators = [
    ...describePresence(options, isFilled),
    check(
      'type',
      (value) => typeof value === 'string',
      'must be a string',
      (value, owner) => hint(value, owner) ?? quoted(value) ?? format?.hint ?? example,
    ),
    check('length', (value) => isShortEnough(value, maxLength), `must be at most ${maxLength} characters`, tooLong),
    check('characters', (value) => isClean(value, layout), FORBIDDEN[layout], unclean),
  ];
  if (format !== undefined) {
    const { pattern, message } = format;
    decorators.push(
      check(
        'format',
        (value) => pattern.test(trimmed(value)),
        message,
        (value, owner) => hint(value, owner) ?? format.hint ?? example,
      ),
    );
  }
  if (isName) {
    const found: Hint = (value) => LOOK_ALIKE_HINT.replace('…', findLookAlike(trimmed(value)) ?? '');
    decorators.push(check('look_alike', (value) => findLookAlike(trimmed(value)) === null, LOOK_ALIKE, found));
  }
  const isRequired = isAlwaysRequired(options) && options.alias === undefined;
  const minimum = isRequired ? { minLength: 1 } : {};
  const pattern =
    format === undefined ? {} : { pattern: isRequired ? format.pattern.source : `^$|${format.pattern.source}` };
  return applyDecorators(...decorators, documented(options, { type: String, ...minimum, maxLength, ...pattern }));
}

export function ChoiceField(options: ChoiceOptions): PropertyDecorator {
  const choices = [...options.choices];
  const suggest = createSuggester(
    choices.map((choice) => [choice, choice]),
    { isForgiving: true },
  );
  const choose = `use ${choices.join(' or ')}`;
  const ownHint = limitHint(options.hint, 0);
  const hint: OwnedHint = (value, owner) =>
    ownHint(value, owner) ?? (typeof value === 'string' ? didYouMean(suggest(value)) : undefined) ?? choose;
  return applyDecorators(
    ...describePresence({ missingHint: choose, ...options }, isFilled),
    check(
      'choice',
      (value) => typeof value === 'string' && choices.includes(value),
      `must be one of: ${choices.join(', ')}`,
      hint,
    ),
    documented(options, { type: String, enum: choices }),
  );
}

export function AmountField(options: AmountOptions): PropertyDecorator {
  const { decimals, minimum, maximum, isMinimumExcluded = false, unit = 'MYR' } = options;
  const limits = listAmountLimits(options, exampleHint(options));
  const hintFor: Hint = (value) => limits.find(({ holds }) => !holds(toNumber(value)))?.hint(toNumber(value));
  const ifNone = options.required === false ? 'leave it out' : missingNumberHint(options.missingHint);
  const unquoted: Hint = (value) => unquotedHint(value, { unit, hintFor, ifNone });
  const isPrecisionLimited = limits.some(({ kind }) => kind === 'precision');
  const digits = isPrecisionLimited ? ` and ${SIGNIFICANT_DIGITS_MAX} significant digits` : '';
  const limit = maximum === undefined ? `below ${GROUPED_LIMIT}` : `up to ${maximum}`;
  const description = `${options.description} At most ${decimals} decimals${digits}, ${limit}.`;
  const exclusiveMinimum = minimum === undefined || isMinimumExcluded;
  const upper = { maximum: maximum ?? AMOUNT_LIMIT, exclusiveMaximum: maximum === undefined };
  const bounds = { type: Number, ...upper, minimum: minimum ?? -AMOUNT_LIMIT, exclusiveMinimum };
  return applyDecorators(
    ...describePresence(options, isGiven),
    check('type', (value) => typeof value === 'number', numberMessage, unquoted),
    ...limits.map(({ kind, holds, message }) => check(kind, (value) => holds(toNumber(value)), message, hintFor)),
    documented({ ...options, description }, bounds),
  );
}

export function WholeNumberField(options: WholeNumberOptions): PropertyDecorator {
  const { minimum, maximum } = options;
  const isWithin = (value: unknown): boolean => toNumber(value) >= minimum && toNumber(value) <= maximum;
  const limits = `must be from ${minimum.toLocaleString('en')} to ${maximum.toLocaleString('en')}`;
  const example = exampleHint(options) ?? `from ${minimum} to ${maximum}`;
  const hintFor: Hint = (value) => (Number.isSafeInteger(value) && isWithin(value) ? undefined : example);
  const unquoted: Hint = (value) => unquotedHint(value, { unit: 'units', hintFor, ifNone: example });
  return applyDecorators(
    ...describePresence(options, isGiven),
    check('type', (value) => typeof value === 'number', numberMessage, unquoted),
    check('whole', Number.isSafeInteger, 'must be a whole number', example),
    check('range', isWithin, limits, example),
    documented(options, { type: 'integer', minimum, maximum }),
  );
}

export function ObjectField(type: () => DtoClass, options: ObjectOptions): PropertyDecorator {
  const { refused, ruleScope, listHint } = options;
  const decorators = describePresence(options, isGiven, IN_BRACES);
  if (refused !== undefined)
    decorators.push(check('refused', (_value, owner) => !refused.when(owner), refused.message, refused.hint));
  return applyDecorators(
    ...decorators,
    check('type', isJsonObject, 'must be an object', (value) =>
      Array.isArray(value) ? (listHint ?? IN_BRACES) : IN_BRACES,
    ),
    ValidateNested(),
    NestedShape({ type, isList: false, ruleScope }),
    documented(options, { type: () => type() }),
  );
}

export function ListField(type: () => DtoClass, options: ListOptions): PropertyDecorator {
  const { minItems, maxItems, maxItemsReason, maxItemsHint, ruleScope } = options;
  const tooMany = (value: unknown): string =>
    `must have at most ${maxItems} items${maxItemsReason === undefined ? '' : `: ${maxItemsReason(getLength(value))}`}`;
  return applyDecorators(
    ...describePresence(options, isGiven, IN_BRACKETS),
    check('type', Array.isArray, 'must be an array', IN_BRACKETS),
    check(
      'min_items',
      (value) => getLength(value) >= minItems,
      `must have at least ${minItems} item`,
      'send one or more',
    ),
    check('max_items', (value) => getLength(value) <= maxItems, tooMany, maxItemsHint),
    ValidateNested({ each: true }),
    NestedShape({ type, isList: true, ruleScope }),
    documented(options, { type: () => type(), isArray: true, minItems, maxItems }),
  );
}

const LOOK_ALIKE = 'must not contain invisible characters, or letters that look like others';
const LOOK_ALIKE_HINT = 'type it again without …';

const FORBIDDEN: Record<TextLayout, string> = {
  line: 'must not contain control characters',
  paragraph: 'must not contain control characters other than tabs and line breaks',
};

type IsPresent = (value: unknown) => boolean;

/** @param form replaces the example in the hint if the example is too long */
function describePresence(options: FieldOptions, isPresent: IsPresent, form?: string): PropertyDecorator[] {
  const { required = true, alias, aliasOf, missingHint } = options;
  if (aliasOf !== undefined) {
    const agrees = (value: unknown, owner: JsonObject): boolean => doAgree(value, owner[aliasOf]);
    const hint = 'send one of the two spellings';
    return [onlyWhenPresent(isPresent), check('conflict', agrees, `must equal ${aliasOf} when both are sent`, hint)];
  }
  if (required === false) return [onlyWhenPresent(isPresent)];
  const missing = missingHint ?? form ?? exampleHint(options);
  const hint = (_value: unknown, owner: JsonObject): string | undefined => {
    const todo = typeof missing === 'function' ? missing(owner) : missing;
    const parts = [alias === undefined ? undefined : `or ${alias}`, todo].filter((part) => part !== undefined);
    return parts.length === 0 ? undefined : parts.join(', ');
  };
  const requirement = check('required', isPresent, 'is required', hint);
  if (required !== true) return [onlyWhen((value, owner) => isPresent(value) || required(owner)), requirement];
  if (alias === undefined) return [requirement];
  return [onlyWhen((value, owner) => isPresent(value) || !isPresent(owner[alias])), requirement];
}

function exampleHint({ example }: FieldOptions): string | undefined {
  return example === undefined ? undefined : `such as ${JSON.stringify(example)}`;
}

export function onlyWhenPresent(isPresent: IsPresent): PropertyDecorator {
  const context: ConditionContext = { isOfPresent: true };
  return ValidateIf((_owner: JsonObject, value: unknown) => isPresent(value), { context });
}

function onlyWhen(condition: (value: unknown, owner: JsonObject) => boolean): PropertyDecorator {
  return ValidateIf((owner: JsonObject, value: unknown) => condition(value, owner));
}

export function check(
  kind: string,
  holds: (value: unknown, owner: JsonObject) => boolean,
  message: string | ((value: unknown) => string),
  hint?: RuleContext['hint'],
): PropertyDecorator {
  const context: RuleContext = hint === undefined ? { kind, holds } : { kind, hint, holds };
  return ValidateBy(
    { name: kind, validator: { validate: (value: unknown, args) => holds(value, (args?.object ?? {}) as JsonObject) } },
    { message: typeof message === 'string' ? message : (args) => message(args.value), context },
  );
}

export function documented(options: FieldOptions, schema: ApiPropertyOptions): PropertyDecorator {
  const { description, example, alias, aliasOf } = options;
  // Prevents generated clients from having two optional members instead of one required member.
  if (aliasOf !== undefined) return () => undefined;
  const property = {
    ...schema,
    description: description + describeAlias(options),
    required: isAlwaysRequired(options),
    ...(alias !== undefined && { [ALIAS]: alias }),
    ...(example !== undefined && { example }),
  };
  return applyDecorators(labelled(options), ApiProperty(property as ApiPropertyOptions));
}

function describeAlias({ required = true, alias }: FieldOptions): string {
  if (alias === undefined) return '';
  return required === false ? ` Also accepted as \`${alias}\`.` : ` Required; also accepted as \`${alias}\`.`;
}

function isAlwaysRequired({ required = true, aliasOf }: FieldOptions): boolean {
  return required === true && aliasOf === undefined;
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' ? hasVisible(value) : isGiven(value);
}

// Trims a string only if it is too long with its white space, which is rare.
function isShortEnough(value: unknown, maxLength: number): boolean {
  return typeof value === 'string' && (value.length <= maxLength || isAtMost(value.trim(), maxLength));
}

function isClean(value: unknown, layout: TextLayout): boolean {
  if (typeof value !== 'string') return false;
  return !hasForbiddenCharacters(value, layout) || !hasForbiddenCharacters(value.trim(), layout);
}

function trimmed(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** Compares two strings or two numbers. Other types violate their own rules. */
function doAgree(one: unknown, other: unknown): boolean {
  if (typeof one === 'number' && typeof other === 'number') return one === other;
  if (typeof one !== 'string' || typeof other !== 'string' || !isFilled(other)) return true;
  return one.trim() === other.trim();
}

function isWritable(value: unknown, pattern: RegExp | undefined): boolean {
  return typeof value === 'number' && (pattern === undefined || pattern.test(String(value)));
}

export function toNumber(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}

function getLength(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

export function numberMessage(value: unknown): string {
  return typeof value === 'string' ? 'must be a JSON number, not a string' : 'must be a number';
}
