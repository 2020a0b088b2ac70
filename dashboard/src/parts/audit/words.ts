import type { components } from '../../api/schema';
import { formatAmount } from '../format';
import { formatMalaysianTime, formatTimesIn } from '../malaysian-time';
import { separate } from '../field-names';
import type { Topic } from './search';

export type AuditEntry = components['schemas']['AuditEntryDto'];

export type Action = AuditEntry['action'];

interface Words {
  about: Topic;
  /** Predicate of the sentence "actor did …". A name in braces is a member of the details or the subject. */
  did: string;
}

/** A missing action of the API is a type error. */
const ACTIONS: Readonly<Record<Action, Words>> = {
  'appointment.checked': { about: 'profile', did: 'checked the appointment for {subject}' },
  'attempts.refused': { about: 'accounts', did: 'was refused after too many attempts: {subject}' },
  'bulk_job.ended': { about: 'documents', did: 'ended a bulk job: {subject}' },
  'bulk_job.started': { about: 'documents', did: 'started a bulk job: {subject}' },
  'command.run': { about: 'service', did: 'ran the command {subject}' },
  'credits.granted': { about: 'credits', did: 'granted {subject}' },
  'document.cancellation_requested': { about: 'documents', did: 'requested the cancellation of {referenceId}' },
  'document.dismissal_taken_back': { about: 'documents', did: 'took back the dismissal of {subject}' },
  'document.dismissed': { about: 'documents', did: 'dismissed the failed document {subject}' },
  'documents.submitted': { about: 'documents', did: 'sent {documents}' },
  'events.forgotten': { about: 'service', did: 'stopped the delivery of events to {subject}' },
  'events.retried': { about: 'service', did: 'retried the delivery of events to {subject}' },
  'file.downloaded': { about: 'files', did: 'downloaded {subject}' },
  'in_doubt.adopt': { about: 'documents', did: 'decided that the authority has the documents in doubt' },
  'in_doubt.fail': { about: 'documents', did: 'decided that the documents in doubt have failed' },
  'in_doubt.outcome': {
    about: 'documents',
    did: 'entered outcomes from the authority’s portal',
  },
  'in_doubt.resend': { about: 'documents', did: 'sent the documents in doubt again' },
  'invitation.accepted': { about: 'people', did: 'accepted the invitation as {role}' },
  'invitation.created': { about: 'people', did: 'invited {subject} as {role}' },
  'invitation.revoked': { about: 'people', did: 'revoked the invitation of {subject}' },
  'key.created': { about: 'keys', did: 'created the API key {subject}' },
  'key.revoked': { about: 'keys', did: 'revoked the API key {subject}' },
  'key.rotated': { about: 'keys', did: 'rotated the API key {subject}' },
  'tenant_queues.retried': { about: 'documents', did: 'retried the waiting documents of {subject}' },
  'member.added': { about: 'people', did: 'added {subject} as {role}' },
  'member.left': { about: 'people', did: 'left the organisation' },
  'member.removed': { about: 'people', did: 'removed {subject}' },
  'member.role_changed': { about: 'people', did: 'changed the role of {subject}' },
  'operator.appointed': { about: 'accounts', did: 'made {subject} an operator' },
  'order.cancelled': { about: 'credits', did: 'cancelled the order of {subject}' },
  'order.confirmed': { about: 'credits', did: 'confirmed the payment of {subject}' },
  'order.refused': { about: 'credits', did: 'refused the order of {subject}' },
  'order.requested': { about: 'credits', did: 'ordered {subject}' },
  'organisation.created': { about: 'profile', did: 'signed up the organisation {subject}' },
  'organisation.limits_changed': { about: 'profile', did: 'changed the request limits of {subject}' },
  'organisation.profile_changed': { about: 'profile', did: 'changed the profile of {subject}' },
  'recovery.adopted': { about: 'documents', did: 'matched a document with one at the authority' },
  'recovery.begun': { about: 'documents', did: 'held all documents after a restore of the database' },
  'recovery.dismissed': {
    about: 'documents',
    did: 'decided that a document at the authority matches no document here',
  },
  'recovery.released': { about: 'documents', did: 'released the documents of {subject} after a restore' },
  'user.created': { about: 'accounts', did: 'created the account {subject}' },
  'user.disabled': { about: 'accounts', did: 'disabled {subject}' },
  'user.enabled': { about: 'accounts', did: 'enabled {subject}' },
  'user.link_created': { about: 'accounts', did: 'created a password link for {subject}' },
  'user.link_used': { about: 'accounts', did: 'set the password of {subject} with a link' },
  'user.other_sessions_ended': { about: 'accounts', did: 'signed out all other browsers' },
  'user.password_changed': { about: 'accounts', did: 'changed the password' },
  'user.password_reset': { about: 'accounts', did: 'reset the password of {subject}' },
  'user.renamed': { about: 'accounts', did: 'changed the name to {name}' },
  'user.session_ended': { about: 'accounts', did: 'signed out another browser' },
  'user.sign_in_failed': { about: 'accounts', did: 'failed to sign in as {subject}' },
  'user.signed_in': { about: 'accounts', did: 'signed in' },
  'user.signed_out': { about: 'accounts', did: 'signed out' },
  'verification.ended': { about: 'profile', did: 'ended the verification of the TIN {subject}' },
  'verification.refused': { about: 'profile', did: 'refused to verify the TIN {subject}' },
  'verification.verified': { about: 'profile', did: 'verified the TIN {subject}' },
  'verification.waiting': { about: 'profile', did: 'submitted the TIN {subject} for verification' },
};

export function listActions(topic: Topic): Action[] {
  return (Object.keys(ACTIONS) as Action[]).filter((action) => ACTIONS[action].about === topic);
}

const SLOT = /\{(\w+)\}/g;

/** Describes an action in words. Falls back to the name of an unknown action. */
export function describeAction({ action, subject, details }: AuditEntry): string {
  const words = Object.hasOwn(ACTIONS, action) ? ACTIONS[action].did : `${action}: {subject}`;
  return words.replaceAll(SLOT, (_, name: string) => {
    const value = details[name];
    return value === undefined || value === null ? subject : formatValue(value);
  });
}

/** Detail of an entry. `before` is the earlier value of a changed field. */
export interface Fact {
  name: string;
  before: string | null;
  value: string;
}

const NAMES: Readonly<Record<string, string>> = {
  addressLine1: 'address',
  authorityMessage: 'the authority says',
  because: 'because',
  expiresAt: 'ends on',
  from: 'from',
  hasNewAccount: 'with a new account',
  idType: 'kind of id',
  idValue: 'number of the id',
  ip: 'from',
  isAppointed: 'appointed',
  isShared: 'shared with others',
  keptKeys: 'keys kept',
  msic: 'industry (MSIC)',
  newRole: 'role',
  oldEndsAt: 'old key ends on',
  overlapHours: 'hours with both keys',
  revokedInvitations: 'invitations revoked',
  revokedKeys: 'keys revoked',
  stateCode: 'state',
  tin: 'TIN',
  transactionIds: 'selected documents',
  retried: 'queues',
};

const COUNTED: readonly string[] = ['keptKeys', 'revokedKeys', 'revokedInvitations', 'retried', 'stillInDoubt'];

/** Returns the details of an entry without ids, which are in the CSV file. */
export function listFacts({ action, details }: AuditEntry): Fact[] {
  const { changes, from, to, ...others } = details;
  if (isRecord(changes)) {
    return Object.entries(changes).map(([name, change]) => {
      const { from: before, to: value } = isRecord(change) ? change : { from: null, to: change };
      return { name: nameOf(name), before: formatValue(before), value: formatValue(value) };
    });
  }
  const said = Object.hasOwn(ACTIONS, action) ? [...ACTIONS[action].did.matchAll(SLOT)].map(([, name]) => name) : [];
  const facts = Object.entries(to === undefined ? { ...others, from } : others)
    .filter(([name, value]) => !said.includes(name) && !name.endsWith('Id') && !isEmptyValue(value))
    .map(([name, value]) => ({
      name: nameOf(name),
      before: null,
      value: formatFact(name, value),
    }));
  return to === undefined ? facts : [{ name: 'role', before: formatValue(from), value: formatValue(to) }, ...facts];
}

function formatFact(name: string, value: unknown): string {
  if (COUNTED.includes(name) && Array.isArray(value)) return String(value.length);
  return name === 'price' ? formatAmount(Number(value)) : formatValue(value);
}

export function describeFacts(entry: AuditEntry): string {
  return listFacts(entry)
    .map(({ name, before, value }) => `${name}: ${before === null ? '' : `${before} → `}${value}`)
    .map((fact) => fact.charAt(0).toUpperCase() + fact.slice(1))
    .join('; ');
}

function nameOf(name: string): string {
  return NAMES[name] ?? separate(name);
}

function isEmptyValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isRecord(value)) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === '' || value === false;
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'empty';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(formatValue).join(', ');
  return isRecord(value) ? formatRecord(value) : formatText(typeof value === 'string' ? value : JSON.stringify(value));
}

function formatRecord(value: Record<string, unknown>): string {
  if (typeof value.referenceId === 'string') return value.referenceId;
  return Object.entries(value)
    .filter(([name, inner]) => !name.endsWith('Id') && !isEmptyValue(inner))
    .map(([name, inner]) => `${nameOf(name)} ${name === 'transactionIds' ? countIds(inner) : formatValue(inner)}`)
    .join(', ');
}

/** Counts the ids of a filter. */
function countIds(ids: unknown): number {
  return String(ids).split(',').length;
}

function formatText(text: string): string {
  if (Object.hasOwn(ACTIONS, text)) return ACTIONS[text as Action].did.replaceAll(/ ?\{\w+\}/g, ' the member').trim();
  return INSTANT.test(text) ? formatMalaysianTime(text) : formatTimesIn(text);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
