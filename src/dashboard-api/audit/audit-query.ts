import { applyDecorators } from '@nestjs/common';
import { normaliseEmail } from '../../accounts/accounts.service.js';
import type { AuditFilter } from './audit.sql.js';
import type { AuditEntryDto } from './dto/audit.dto.js';
import { type CsvColumn, createInstantColumn } from '../csv.js';
import { Parameter, readDays, readParameter } from '../parameters.js';

const ACTIONS = /^[a-z_.]{1,60}(?:,[a-z_.]{1,60}){0,59}$/;
const ACTOR = /^[^\p{Cc}]{0,254}$/u;

const RULES = {
  action: {
    isKept: (text: string): boolean => ACTIONS.test(text),
    message: 'must be the beginning of an action in lower case, or several separated by commas',
    hint: 'send a value such as `key.` or `member.removed,member.left`',
  },
  actor: {
    isKept: (text: string): boolean => ACTOR.test(text),
    message: 'must be the beginning of an e-mail address',
    hint: 'leave it out for all users',
  },
};

/** @throws ValidationError (400) with every invalid parameter */
export function readAuditFilter(query: unknown): AuditFilter {
  const days = readDays(query, RULES);
  const [action, actor] = [readParameter(query, 'action'), readParameter(query, 'actor')];
  return { ...days, actions: action?.split(',') ?? [], actor: normaliseEmail(actor ?? '') };
}

export function AuditQuery(): MethodDecorator {
  return applyDecorators(
    Parameter('action', 'Beginning of the action, such as `key.`, or several such as `key.created,key.revoked`.', {}),
    Parameter('actor', 'Beginning of the e-mail address of the actor.', {}),
    Parameter('from', 'First day, in Malaysia.', { format: 'date' }),
    Parameter('to', 'Last day, in Malaysia.', { format: 'date' }),
  );
}

export const AUDIT_COLUMNS: readonly CsvColumn<AuditEntryDto>[] = [
  createInstantColumn('At', ({ at }) => at),
  { title: 'Who', value: ({ actor }) => actor },
  { title: 'Action', value: ({ action }) => action },
  { title: 'Subject', value: ({ subject }) => subject },
  { title: 'Details', value: ({ details }) => JSON.stringify(details) },
  { title: 'Network address', value: ({ ip }) => ip },
];
