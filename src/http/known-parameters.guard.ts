import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { createSuggester, didYouMean } from '../common/nearest.js';
import { ValidationError } from '../errors/api-error.js';
import type { Problem } from '../errors/problem.js';

const PARAMETER_UNKNOWN = 'parameter_unknown';

const DESCRIBED = 'swagger/apiParameters';
const OTHER_NAMES = 'other query names';
const NAME_CHARACTERS_MAX = 100;
const PROBLEMS_MAX = 20;

interface OtherQueryNames {
  /** Accepted names that are not documented, each with the name that hints suggest instead. */
  readonly accepted: Readonly<Record<string, string>>;
  /** Common mistakes, each with the correct name. */
  readonly mistaken?: Readonly<Record<string, string>>;
}

const NO_OTHER_NAMES: OtherQueryNames = { accepted: {} };

export const OtherQueryNames = (names: OtherQueryNames): MethodDecorator => SetMetadata(OTHER_NAMES, names);

/**
 * Rejects undeclared query parameters. A misspelled filter would select everything, and a misspelled `dryRun`
 * would submit.
 */
@Injectable()
export class KnownParametersGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const sent = Object.keys(context.switchToHttp().getRequest<FastifyRequest>().query as object);
    if (sent.length === 0) return true;
    const handler = context.getHandler();
    const described = listDescribed(handler);
    const others = (Reflect.getMetadata(OTHER_NAMES, handler) ?? NO_OTHER_NAMES) as OtherQueryNames;
    const unknown = sent.filter((name) => !described.includes(name) && !Object.hasOwn(others.accepted, name));
    if (unknown.length === 0) return true;
    throw new ValidationError(unknown.slice(0, PROBLEMS_MAX).map((name) => buildProblem(name, described, others)));
  }
}

function listDescribed(handler: object): readonly string[] {
  const described = (Reflect.getMetadata(DESCRIBED, handler) ?? []) as readonly { in: string; name: string }[];
  return described.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
}

function buildProblem(
  name: string,
  described: readonly string[],
  { accepted, mistaken = {} }: OtherQueryNames,
): Problem {
  const names = [...new Set([...described, ...Object.values(accepted)])];
  const suggest = createSuggester(
    [...names.map((each) => [each, each] as const), ...Object.entries(accepted), ...Object.entries(mistaken)],
    { isForgiving: true },
  );
  const choices =
    names.length === 0
      ? 'leave it out: this operation has no query parameters'
      : `send one of the parameters of this operation: ${names.join(', ')}`;
  return {
    pointer: `/${name.slice(0, NAME_CHARACTERS_MAX).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    rule: PARAMETER_UNKNOWN,
    message: 'is not a known query parameter',
    hint: didYouMean(suggest(name)) ?? choices,
  };
}
