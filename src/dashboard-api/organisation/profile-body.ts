import { ValidationError } from '../../errors/api-error.js';
import type { Problem } from '../../errors/problem.js';
import { IN_BRACES, quotedHint } from '../../validation/hints.js';
import { isJsonObject } from '../../validation/shape.js';
import type { ProfileChange } from '../../tenants/profile-change.js';
import { PROFILE_FIELDS } from '../../tenants/tenant-profile.js';

// A name goes into the response.
const NAME_CHARACTERS_MAX = 100;

const FIELDS: ReadonlySet<string> = new Set(PROFILE_FIELDS);

/**
 * The change of a profile in a body: null clears a field, as an empty text does. What the texts must be is for the
 * profile's rules to say.
 * @throws ValidationError (400) for what is no object, no field of a profile, or neither text nor null
 */
export function readProfileChange(body: unknown): ProfileChange {
  if (!isJsonObject(body)) {
    throw new ValidationError([
      { pointer: '', rule: 'body_type', message: 'the body must be a JSON object', hint: IN_BRACES },
    ]);
  }
  const problems = Object.entries(body).flatMap(([name, value]) => findProblems(name, value));
  if (problems.length > 0) throw new ValidationError(problems);
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value ?? '']));
}

function findProblems(name: string, value: unknown): Problem[] {
  const pointer = `/${name.slice(0, NAME_CHARACTERS_MAX).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  if (!FIELDS.has(name)) {
    return [{ pointer, rule: 'member_unknown', message: 'is not a field of the profile', hint: 'leave it out' }];
  }
  if (value === null || typeof value === 'string') return [];
  return [{ pointer, rule: 'profile_type', message: 'must be a string', hint: quotedHint(value) }];
}
