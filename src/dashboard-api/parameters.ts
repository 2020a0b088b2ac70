import { applyDecorators } from '@nestjs/common';
import { ApiParam, ApiQuery } from '@nestjs/swagger';
import { validate as isUuid } from 'uuid';
import { isCalendarDate } from '../common/malaysian-days.js';
import { ENVIRONMENTS } from '../config/environment.js';
import { ValidationError } from '../errors/api-error.js';
import { DashboardError } from '../errors/dashboard-errors.js';
import type { Problem } from '../errors/problem.js';
import { hasForbiddenCharacters, isAtMost } from '../http/validation/text.js';
import type { Days } from './days.js';

/** Describes the path parameters `tenantId` and `environment`. */
export function OrganisationEnvironmentParams(): ClassDecorator {
  return applyDecorators(
    ApiParam({ name: 'tenantId', schema: { type: 'string', format: 'uuid' }, description: 'The organisation.' }),
    ApiParam({ name: 'environment', schema: { type: 'string', enum: [...ENVIRONMENTS] } }),
  );
}

export function TransactionParam(): MethodDecorator {
  return ApiParam({ name: 'transactionId', schema: { type: 'string', format: 'uuid' }, description: 'The attempt.' });
}

/** @throws DashboardError (404) for a malformed id */
export function parseId(text: string): string {
  if (!isUuid(text)) throw new DashboardError('not_found_here');
  return text.toLowerCase();
}

const SEARCH_CHARACTERS_MAX = 300;

/** Rule for a query parameter, with its error message. */
export interface ParameterRule {
  readonly isKept: (text: string) => boolean;
  readonly message: string;
  readonly hint: string;
  /** Rejects an empty value, which otherwise counts as missing. */
  readonly isEmptyRefused?: boolean;
}

const DAY: ParameterRule = {
  isKept: isCalendarDate,
  message: 'must be a day in Malaysia, written YYYY-MM-DD',
  hint: 'such as 2026-01-31',
};

/**
 * Reads the optional parameters `from` and `to`.
 * @param rules rules of other parameters, whose errors are reported in the same response
 * @throws ValidationError (400) with every invalid parameter
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

/** @throws ValidationError (400) with every parameter that breaks its rule; missing parameters are valid */
export function checkParameters(query: unknown, rules: Readonly<Record<string, ParameterRule>>): void {
  const problems = findProblems(query, rules);
  if (problems.length > 0) throw new ValidationError(problems);
}

export function createChoiceRule(values: readonly string[], hint = 'leave it out for all'): ParameterRule {
  return { isKept: (text) => values.includes(text), message: `must be one of: ${values.join(', ')}`, hint };
}

export const SEARCH_WORDS: ParameterRule = {
  isKept: (text) => isAtMost(text, SEARCH_CHARACTERS_MAX) && !hasForbiddenCharacters(text, 'line'),
  message: `must be one text of at most ${SEARCH_CHARACTERS_MAX} characters, without control characters`,
  hint: 'send it once, as it is typed',
};

/** Returns a query parameter, or null if it is missing. Returns an invalid value if it was sent twice. */
export function readParameter(query: unknown, name: string): string | null {
  const value = (query as Readonly<Record<string, unknown>>)[name];
  if (value === undefined || value === '') return null;
  return typeof value === 'string' ? value : '\0';
}

/** Describes an optional query parameter. */
export function Parameter(name: string, description: string, schema: object): MethodDecorator {
  return ApiQuery({ name, required: false, description, schema: { type: 'string', ...schema } });
}

export function DaysQuery(): MethodDecorator {
  return applyDecorators(
    Parameter('from', 'First day of acceptance, in Malaysia.', { format: 'date' }),
    Parameter('to', 'Last day of acceptance, in Malaysia.', { format: 'date' }),
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

/** API key or user to whose submissions a list is limited. */
export interface SubmitterFilter {
  readonly kind: 'key' | 'user';
  readonly id: string;
}

const FORM = /^(?<kind>key|user):(?<id>[^:]*)$/;

const BY: ParameterRule = {
  isKept: (text) => read(text) !== null,
  message: 'must be a key or a user',
  hint: 'send `key:` and a keyId, or `user:` and a userId',
};

export const BY_RULE = { by: BY };

/** Reads the parameter `by` after its rule was checked. Returns null if it is missing. */
export function readSubmitter(query: unknown): SubmitterFilter | null {
  const text = readParameter(query, 'by');
  return text === null ? null : read(text);
}

export function ByQuery(): MethodDecorator {
  const example = 'key:01a1fc06-aaf7-7598-a650-5bdb926736ac';
  return Parameter('by', 'Submitter: `key:` and a keyId, or `user:` and a userId.', { example });
}

/** Columns of `submission_batch` that contain the submitter. */
export const SUBMITTER_COLUMNS = { key: 'api_key_id', user: 'user_id' } as const;

function read(text: string): SubmitterFilter | null {
  const { kind, id } = FORM.exec(text)?.groups ?? {};
  return id !== undefined && isUuid(id) ? { kind: kind as SubmitterFilter['kind'], id: id.toLowerCase() } : null;
}
