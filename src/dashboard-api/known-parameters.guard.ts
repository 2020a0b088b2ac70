import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { createSuggester, didYouMean } from '../common/nearest.js';
import { ValidationError } from '../errors/api-error.js';
import type { Problem } from '../errors/problem.js';
import { MEMBER_UNKNOWN } from '../validation/unknown-members.js';

/** Where the decorators of @nestjs/swagger keep what they describe of a handler. */
const DESCRIBED = 'swagger/apiParameters';
const NAME_CHARACTERS_MAX = 100;
/** What one response names. */
const PROBLEMS_MAX = 20;

/**
 * Refuses a query with a parameter that the description of the dashboard's handler does not have: a filter with a
 * misspelled name would select everything.
 */
@Injectable()
export class KnownParametersGuard implements CanActivate {
  /** @throws ValidationError (400) naming each unknown parameter */
  canActivate(context: ExecutionContext): boolean {
    const { query, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
    if (routeOptions.config.access === undefined) return true;
    const known = listParameters(context.getHandler());
    const unknown = Object.keys(query as object).filter((name) => !known.includes(name));
    if (unknown.length === 0) return true;
    throw new ValidationError(unknown.slice(0, PROBLEMS_MAX).map((name) => buildProblem(name, known)));
  }
}

function listParameters(handler: object): readonly string[] {
  const described = (Reflect.getMetadata(DESCRIBED, handler) ?? []) as readonly { in: string; name: string }[];
  return described.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
}

function buildProblem(name: string, known: readonly string[]): Problem {
  const suggest = createSuggester(
    known.map((each) => [each, each]),
    { isForgiving: true },
  );
  const choices = known.length === 0 ? '' : `; known are: ${known.join(', ')}`;
  return {
    pointer: `/${name.slice(0, NAME_CHARACTERS_MAX).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    rule: MEMBER_UNKNOWN,
    message: 'is not a known parameter',
    hint: didYouMean(suggest(name)) ?? `leave it out${choices}`,
  };
}
