import { Paper, Stack, Table, Text, Title } from '@mantine/core';
import type { OrganisationDetails } from '../../parts/organisation/queries';

const KINDS = [
  { kind: 'requests', label: 'Requests' },
  { kind: 'submits', label: 'Of them submits' },
  { kind: 'tinChecks', label: 'Of them TIN checks' },
] as const;

const formatFigure = (figure: number): string => (figure === 0 ? 'No limit' : figure.toLocaleString('en'));

export function RequestLimits({ rateLimits }: Pick<OrganisationDetails, 'rateLimits'>) {
  return (
    <Paper withBorder p="md">
      <Stack>
        <Title order={2}>Request limits</Title>
        <Text size="sm">
          How many requests your client systems may make in any minute. Ask an operator of this service for more.
        </Text>
        <Table aria-label="Request limits">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">In a minute</Table.Th>
              <Table.Th scope="col">Each API key</Table.Th>
              <Table.Th scope="col">All API keys together</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {KINDS.map(({ kind, label }) => (
              <Table.Tr key={kind}>
                <Table.Th scope="row">{label}</Table.Th>
                <Table.Td>{formatFigure(rateLimits.key[kind])}</Table.Td>
                <Table.Td>{formatFigure(rateLimits.organisation[kind])}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Stack>
    </Paper>
  );
}
