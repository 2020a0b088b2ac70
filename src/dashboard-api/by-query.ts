import { validate as isUuid } from 'uuid';
import { Parameter, type ParameterRule, readParameter } from './days-query.js';

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
