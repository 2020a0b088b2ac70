import { isCalendarDate } from '../common/malaysian-days.js';
import { applyDecorators } from '@nestjs/common';
import { ApiParam, ApiQuery } from '@nestjs/swagger';
import { validate as isUuid } from 'uuid';
import { ENVIRONMENTS } from '../config/environment.js';
import { ValidationError } from '../errors/api-error.js';
import { DashboardError } from '../errors/dashboard-errors.js';
import type { Problem } from '../errors/problem.js';
import { hasForbiddenCharacters, isAtMost } from '../http/validation/text.js';
import type { Days } from './days.js';

/** Documents the organisation and the environment of an address. */
export function OrganisationEnvironmentParams(): ClassDecorator {
  return applyDecorators(
    ApiParam({ name: 'tenantId', schema: { type: 'string', format: 'uuid' }, description: 'The organisation.' }),
    ApiParam({ name: 'environment', schema: { type: 'string', enum: [...ENVIRONMENTS] } }),
  );
}

/** Documents the attempt of an address. */
export function TransactionParam(): MethodDecorator {
  return ApiParam({ name: 'transactionId', schema: { type: 'string', format: 'uuid' }, description: 'The attempt.' });
}

/** @throws DashboardError (404) for what is no id */
export function parseId(text: string): string {
  if (!isUuid(text)) throw new DashboardError('not_found_here');
  return text.toLowerCase();
}

const SEARCH_CHARACTERS_MAX = 300;

/** A rule of a parameter, and what it says when it is broken. */
export interface ParameterRule {
  readonly isKept: (text: string) => boolean;
  readonly message: string;
  readonly hint: string;
  /** Without a value it is refused, and not taken as left out: that would mean everything. */
  readonly isEmptyRefused?: boolean;
}

const DAY: ParameterRule = {
  isKept: isCalendarDate,
  message: 'must be a day in Malaysia, written YYYY-MM-DD',
  hint: 'such as 2026-01-31',
};

/**
 * The days that the query asks for, `from` and `to`, both optional.
 * @param rules of further parameters, judged with them
 * @throws ValidationError (400) naming every parameter that cannot be read
 */
export function readDays(query: unknown, rules: Readonly<Record<string, ParameterRule>> = {}): Days {
  const problems = findProblems(query, { ...rules, from: DAY, to: DAY });
  const [from, to] = [readParameter(query, 'from'), readParameter(query, 'to')];
  if (problems.length === 0 && from !== null && to !== null && from > to) {
    problems.push(buildProblem('to', 'must not be before from', `send ${from} or a later day`));
  }
  if (problems.length > 0) throw new ValidationError(problems);
  return { from, to };
}

/** @throws ValidationError (400) naming every parameter that breaks its rule; one that is left out breaks none */
export function checkParameters(query: unknown, rules: Readonly<Record<string, ParameterRule>>): void {
  const problems = findProblems(query, rules);
  if (problems.length > 0) throw new ValidationError(problems);
}

/** For a parameter that is one of a few words. */
export function createChoiceRule(values: readonly string[], hint = 'leave it out for all'): ParameterRule {
  return { isKept: (text) => values.includes(text), message: `must be one of: ${values.join(', ')}`, hint };
}

/** For words to search by. */
export const SEARCH_WORDS: ParameterRule = {
  isKept: (text) => isAtMost(text, SEARCH_CHARACTERS_MAX) && !hasForbiddenCharacters(text, 'line'),
  message: `must be one text of at most ${SEARCH_CHARACTERS_MAX} characters, without control characters`,
  hint: 'send it once, as it is typed',
};

/** A parameter of a query; null when it is left out. One that is sent twice is none of the values that it may have. */
export function readParameter(query: unknown, name: string): string | null {
  const value = (query as Readonly<Record<string, unknown>>)[name];
  if (value === undefined || value === '') return null;
  return typeof value === 'string' ? value : '\0';
}

/** Documents a parameter that may be left out. */
export function Parameter(name: string, description: string, schema: object): MethodDecorator {
  return ApiQuery({ name, required: false, description, schema: { type: 'string', ...schema } });
}

/** Documents `from` and `to`. */
export function DaysQuery(): MethodDecorator {
  return applyDecorators(
    Parameter('from', 'The first day, in Malaysia, on which they were accepted.', { format: 'date' }),
    Parameter('to', 'The last day.', { format: 'date' }),
  );
}

function findProblems(query: unknown, rules: Readonly<Record<string, ParameterRule>>): Problem[] {
  return Object.entries(rules).flatMap(([name, { isKept, message, hint, isEmptyRefused = false }]) => {
    const text = isEmptyRefused && isEmpty(query, name) ? '' : readParameter(query, name);
    return text === null || isKept(text) ? [] : [buildProblem(name, message, hint)];
  });
}

function isEmpty(query: unknown, name: string): boolean {
  return (query as Readonly<Record<string, unknown>>)[name] === '';
}

function buildProblem(name: string, message: string, hint: string): Problem {
  return { pointer: `/${name}`, rule: `${name}_form`, message, hint };
}

/** The key or the user whose submissions a list is to show. */
export interface SubmitterFilter {
  readonly kind: 'key' | 'user';
  readonly id: string;
}

const FORM = /^(?<kind>key|user):(?<id>[^:]*)$/;

const BY: ParameterRule = {
  isKept: (text) => read(text) !== null,
  message: 'must be a key or a user',
  hint: 'send key: and the keyId, or user: and the userId',
};

/** The rule of `by`, for readDays. */
export const BY_RULE = { by: BY };

/** Who `by` names, once its rule was found to hold; null when it is left out. */
export function readSubmitter(query: unknown): SubmitterFilter | null {
  const text = readParameter(query, 'by');
  return text === null ? null : read(text);
}

/** Documents `by`. */
export function ByQuery(): MethodDecorator {
  const example = 'key:01a1fc06-aaf7-7598-a650-5bdb926736ac';
  return Parameter('by', 'Who submitted them: `key:` and a keyId, or `user:` and a userId.', { example });
}

/** The column of submission_batch that names them. */
export const SUBMITTER_COLUMNS = { key: 'api_key_id', user: 'user_id' } as const;

function read(text: string): SubmitterFilter | null {
  const { kind, id } = FORM.exec(text)?.groups ?? {};
  return id !== undefined && isUuid(id) ? { kind: kind as SubmitterFilter['kind'], id: id.toLowerCase() } : null;
}
