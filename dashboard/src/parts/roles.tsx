import { Text } from '@mantine/core';
import type { Role } from '../api/session';

export const ROLES: readonly { value: Role; label: string; may: string }[] = [
  { value: 'viewer', label: 'Viewer', may: 'sees documents, credits and members; changes nothing' },
  { value: 'member', label: 'Member', may: 'also sends and cancels documents, makes API keys and orders credits' },
  { value: 'owner', label: 'Owner', may: 'also changes the profile, invites people and reads the audit log' },
];

export function formatRole(role: Role): string {
  return ROLES.find(({ value }) => value === role)?.label ?? role;
}

export function RolesExplained() {
  return (
    <div>
      {ROLES.map(({ value, label, may }) => (
        <Text key={value} size="sm" c="dimmed">
          <Text span inherit fw={600}>
            {label}
          </Text>{' '}
          {may}.
        </Text>
      ))}
    </div>
  );
}
