import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { normaliseEmail } from '../../accounts/accounts.service.js';
import { ValidationError } from '../../errors/api-error.js';
import type { Problem } from '../../errors/problem.js';
import type { AuditRow, AuditFilter } from './audit.sql.js';
import { type CsvColumn, createInstantColumn } from '../csv.js';

const ACTION = /^[a-z_.]{0,60}$/;
const ACTOR = /^[^\p{Cc}]{0,254}$/u;

/** Which entries a query asks for with `action` and `actor`. @throws ValidationError (400) naming the parameter */
export function readAuditFilter(query: unknown): AuditFilter {
  const { action = '', actor = '' } = query as { action?: unknown; actor?: unknown };
  const problems: Problem[] = [];
  if (!isText(action, ACTION)) problems.push(ACTION_PROBLEM);
  if (!isText(actor, ACTOR)) problems.push(ACTOR_PROBLEM);
  if (problems.length > 0) throw new ValidationError(problems);
  return { action: String(action), actor: normaliseEmail(String(actor)) };
}

/** Documents the two parameters. */
export function AuditQuery(): MethodDecorator {
  return applyDecorators(
    ApiQuery({ name: 'action', required: false, type: String, description: 'What the action begins with: `key.`' }),
    ApiQuery({ name: 'actor', required: false, type: String, description: "What the actor's e-mail begins with." }),
  );
}

/** The audit log as a file. */
export const AUDIT_COLUMNS: readonly CsvColumn<AuditRow>[] = [
  createInstantColumn('At', ({ at }) => at),
  { title: 'Who', value: ({ actor }) => actor },
  { title: 'Action', value: ({ action }) => action },
  { title: 'Subject', value: ({ subject }) => subject },
  { title: 'Details', value: ({ details }) => JSON.stringify(details) },
  { title: 'Network address', value: ({ ip }) => ip },
];

const ACTION_PROBLEM: Problem = {
  pointer: '/action',
  rule: 'action_form',
  message: 'must be what an action begins with, in small letters',
  hint: 'such as key. or member.removed',
};

const ACTOR_PROBLEM: Problem = {
  pointer: '/actor',
  rule: 'actor_form',
  message: 'must be what an e-mail address begins with',
  hint: 'leave it out for everybody',
};

function isText(value: unknown, form: RegExp): boolean {
  return typeof value === 'string' && form.test(value);
}
