import type { PipeTransform } from '@nestjs/common';
import { ValidationError } from '../../errors/api-error.js';
import type { Problem } from '../../errors/problem.js';
import { IN_BRACES } from './hints.js';
import { checkShape, compileShape, isJsonObject, type Shape } from './shape.js';

/**
 * Returns the declared members without surrounding white space.
 * @throws ValidationError (400)
 */
export function readBody<T>(shape: Shape, body: unknown, check: (read: T) => Problem[] = () => []): T {
  if (!isJsonObject(body)) {
    throw new ValidationError([
      { pointer: '', rule: 'body_type', message: 'the body must be a JSON object', hint: IN_BRACES },
    ]);
  }
  const problems: Problem[] = [];
  const seen = checkShape(shape, body, '', problems);
  const read = Object.fromEntries(
    Object.entries(seen)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value]),
  ) as T;
  if (problems.length === 0) problems.push(...check(read));
  if (problems.length > 0) throw new ValidationError(problems);
  return read;
}

/** Pipe for a body declared by a DTO class: `@Body(readAs(InviteDto)) body: InviteDto`. */
export function readAs<T extends object>(dto: new () => T, check?: (read: T) => Problem[]): PipeTransform<unknown, T> {
  const shape = compileShape(dto);
  return { transform: (body) => readBody<T>(shape, body, check) };
}
