import { Button, Select, Stack, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { unwrap, client } from '../api/client';
import type { components } from '../api/schema';
import type { Scope } from '../api/session';

type ActorValue = components['schemas']['ActorDto'];

/** Shows an API key, user or operator. The detail distinguishes actors of the same name. */
export function Actor({ actor, unknown = 'Not recorded' }: { actor: ActorValue | null; unknown?: string }) {
  if (actor === null) {
    return (
      <Text size="sm" c="dimmed">
        {unknown}
      </Text>
    );
  }
  return (
    <Stack gap={0}>
      <Text size="sm" truncate maw={170}>
        {actor.name}
      </Text>
      {actor.detail !== null && (
        <Text size="xs" c="dimmed" truncate maw={170}>
          {actor.detail}
        </Text>
      )}
    </Stack>
  );
}

export function formatActor({ name, detail }: ActorValue): string {
  return detail === null ? name : `${name} (${detail})`;
}

interface SubmitterSelectProps {
  scope: Scope;
  by: string | undefined;
  onChange: (by: string | undefined) => void;
}

const CHOICES_MAX = 200;

/**
 * Filters a list by the submitting key or user. A submitter that is not among the choices is shown as a
 * removable button.
 */
export function SubmitterSelect({ scope, by, onChange }: SubmitterSelectProps) {
  const choices = useSubmitters(scope);
  const isListed = by === undefined || choices.some(({ items }) => items.some(({ value }) => value === by));
  return (
    <>
      <Select
        label="Submitted by"
        placeholder="Anyone"
        data={choices}
        value={isListed ? (by ?? null) : null}
        onChange={(value) => onChange(value ?? undefined)}
        searchable
        clearable
        w={200}
      />
      {!isListed && (
        <Button
          variant="light"
          mt="auto"
          rightSection={<IconX size={14} />}
          aria-label="Show what anyone submitted"
          onClick={() => onChange(undefined)}
        >
          Submitted by …{by.slice(-8)}
        </Button>
      )}
    </>
  );
}

/** Returns the members and the keys of the environment, including expired and revoked keys. */
function useSubmitters({ tenantId, environment }: Scope) {
  const params = { path: { tenantId }, query: { limit: CHOICES_MAX } };
  const keys = useQuery({
    queryKey: ['keys', tenantId, 'choices'],
    queryFn: () => unwrap(client.GET('/api/dashboard/organisations/{tenantId}/keys', { params })),
  });
  const members = useQuery({
    queryKey: ['members', tenantId, 'choices'],
    queryFn: () => unwrap(client.GET('/api/dashboard/organisations/{tenantId}/members', { params })),
  });
  return [
    {
      group: 'API keys',
      items: (keys.data?.items ?? [])
        .filter((key) => key.environment === environment)
        .map(({ keyId, name, lastFour }) => ({ value: `key:${keyId}`, label: `${name} …${lastFour}` })),
    },
    {
      group: 'Members',
      items: (members.data?.items ?? []).map(({ userId, email }) => ({ value: `user:${userId}`, label: email })),
    },
  ];
}
