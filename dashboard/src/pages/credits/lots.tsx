import { Group, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import type { components } from '../../api/schema';
import { Count } from '../../parts/count';
import { formatDay } from '../../parts/malaysian-time';

export type Credits = components['schemas']['CreditsDto'];

/** Shows the balance and its lots in spending order. */
export function Lots({ credits }: { credits: Credits }) {
  const { balance, sandboxOnly, usedLastSevenDays, lots } = credits;
  return (
    <Paper withBorder p="md">
      <Stack gap="md">
        <Group gap="xl">
          <Figure label="Credits left" value={balance - sandboxOnly} />
          {sandboxOnly > 0 && <Figure label="Left for the sandbox only" value={sandboxOnly} />}
          <Figure label="Used in the last 7 days" value={usedLastSevenDays} />
        </Group>
        {lots.length > 0 && (
          <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
            {lots.map((lot) => (
              <Lot key={lot.lotId} lot={lot} />
            ))}
          </Stack>
        )}
      </Stack>
    </Paper>
  );
}

function Figure({ label, value }: { label: string; value: number }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={28} fw={600} lh={1.2}>
        <Count value={value} />
      </Text>
    </div>
  );
}

function Lot({ lot }: { lot: Credits['lots'][number] }) {
  const { remaining, granted, lastDay, environment } = lot;
  return (
    <li>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text size="sm">
          <Count value={remaining} /> of <Count value={granted} /> left
          {environment !== null && ', for the sandbox only'}
        </Text>
        <Text size="sm" c="dimmed">
          valid through {formatDay(lastDay)}
        </Text>
      </Group>
      <Progress value={(remaining / granted) * 100} aria-label={`${remaining} of ${granted} credits left`} />
    </li>
  );
}

export function PartTitle({ children }: { children: string }) {
  return <Title order={2}>{children}</Title>;
}
