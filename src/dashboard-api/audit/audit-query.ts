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
    message: 'must be what an action begins with, in small letters; several are separated by commas',
    hint: 'such as key. or member.removed,member.left',
  },
  actor: {
    isKept: (text: string): boolean => ACTOR.test(text),
    message: 'must be what an e-mail address begins with',
    hint: 'leave it out for everybody',
  },
};

/** Which entries a query asks for. @throws ValidationError (400) naming the parameter */
export function readAuditFilter(query: unknown): AuditFilter {
  const days = readDays(query, RULES);
  const [action, actor] = [readParameter(query, 'action'), readParameter(query, 'actor')];
  return { ...days, actions: action?.split(',') ?? [], actor: normaliseEmail(actor ?? '') };
}

/** Documents the parameters. */
export function AuditQuery(): MethodDecorator {
  return applyDecorators(
    Parameter('action', 'What the action begins with: `key.`, or `key.created,key.revoked`', {}),
    Parameter('actor', "What the actor's e-mail begins with.", {}),
    Parameter('from', 'The first day, in Malaysia, on which it was done.', { format: 'date' }),
    Parameter('to', 'The last day.', { format: 'date' }),
  );
}

/** The audit log as a file. */
export const AUDIT_COLUMNS: readonly CsvColumn<AuditEntryDto>[] = [
  createInstantColumn('At', ({ at }) => at),
  { title: 'Who', value: ({ actor }) => actor },
  { title: 'Action', value: ({ action }) => action },
  { title: 'Subject', value: ({ subject }) => subject },
  { title: 'Details', value: ({ details }) => JSON.stringify(details) },
  { title: 'Network address', value: ({ ip }) => ip },
];
