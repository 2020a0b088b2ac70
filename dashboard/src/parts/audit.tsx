import { Code, Text } from '@mantine/core';
import type { paths } from '../api/schema';
import type { Column } from './data-table';
import { Instant } from './instant';
import { formatMalaysianTime } from './malaysian-time';

/** An entry of the audit log. */
export type AuditEntry =
  paths['/api/dashboard/organisations/{tenantId}/audit']['get']['responses'][200]['content']['application/json']['items'][number];

/** Actions in words; one that is not here is shown by its name. */
const ACTIONS: Record<string, string> = {
  'organisation.created': 'signed up the organisation',
  'organisation.profile_changed': 'changed the profile',
  'organisation.limits_changed': 'changed the request limits',
  'appointment.checked': 'checked the appointment for',
  'verification.verified': 'verified the TIN',
  'verification.waiting': 'left to the operator the TIN',
  'verification.refused': 'refused the TIN',
  'verification.ended': 'ended the verification of the TIN',
  'documents.submitted': 'sent the batch',
  'document.cancellation_requested': 'asked to cancel the document',
  'key.created': 'created an API key',
  'key.rotated': 'rotated an API key',
  'key.revoked': 'revoked an API key',
  'invitation.created': 'invited',
  'invitation.revoked': 'revoked the invitation of',
  'invitation.accepted': 'accepted an invitation',
  'member.role_changed': 'changed the role of',
  'member.removed': 'removed',
  'member.left': 'left the organisation',
  'member.added': 'added the member',
  'order.requested': 'ordered',
  'order.cancelled': 'cancelled the order of',
  'order.confirmed': 'confirmed the payment of',
  'order.refused': 'refused the order of',
  'credits.granted': 'granted',
  'lanes.retried': 'had the waiting documents sent immediately',
  'events.retried': 'had events delivered again to',
  'events.forgotten': 'ended the deliveries of events to',
  'in_doubt.resend': 'had sent again the submission',
  'in_doubt.adopt': 'adopted the documents of the submission',
  'in_doubt.fail': 'gave up the submission',
  'operator.appointed': 'made an operator',
  'user.created': 'made the account',
  'user.signed_in': 'signed in',
  'user.sign_in_failed': 'failed to sign in as',
  'user.signed_out': 'signed out',
  'user.session_ended': 'signed out another browser',
  'user.other_sessions_ended': 'signed out all other browsers',
  'user.renamed': 'changed the name of',
  'attempts.refused': 'was refused for too many attempts',
  'file.downloaded': 'downloaded',
  'command.run': 'ran the command',
  'user.password_changed': 'changed the password',
  'user.password_reset': 'reset the password of',
  'user.link_created': 'made a password link for',
  'user.link_used': 'set the password by a link',
  'user.disabled': 'disabled',
  'user.enabled': 'enabled',
};

export const AUDIT_COLUMNS: readonly Column<AuditEntry>[] = [
  { header: 'When', cell: ({ at }) => <Instant at={at} /> },
  { header: 'Who', cell: ({ actor }) => actor },
  { header: 'Did what', cell: ({ action }) => ACTIONS[action] ?? <Code>{action}</Code> },
  {
    header: 'To what',
    cell: ({ subject }) => (
      <Text inherit miw={140} style={{ overflowWrap: 'anywhere' }}>
        {subject}
      </Text>
    ),
  },
  { header: 'Details', cell: ({ details }) => <Details details={details} /> },
  { header: 'From', cell: ({ ip }) => ip ?? '–' },
];

function Details({ details }: { details: AuditEntry['details'] }) {
  // Ids are for machines: the file has them.
  const known = Object.entries(details).filter(([name, value]) => value !== null && !name.endsWith('Id'));
  return (
    <Text size="xs" c="dimmed" miw={150} style={{ overflowWrap: 'anywhere' }}>
      {known.map(([name, value]) => `${name}: ${shown(value)}`).join(', ')}
    </Text>
  );
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

function shown(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return INSTANT.test(value) ? formatMalaysianTime(value) : value;
}
