import { Text } from '@mantine/core';
import type { Role } from '../api/session';

export const ROLES: readonly { value: Role; label: string; may: string }[] = [
  { value: 'viewer', label: 'Viewer', may: 'can view documents, credits and members' },
  { value: 'member', label: 'Member', may: 'can also send and cancel documents, create API keys and order credits' },
  { value: 'owner', label: 'Owner', may: 'can also change the profile, invite people and read the audit log' },
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
