import { Paper, Stack, Table, Text, Title } from '@mantine/core';
import type { OrganisationDetails } from '../../parts/organisation/queries';

const KINDS = [
  { kind: 'requests', label: 'All requests' },
  { kind: 'submits', label: 'Submits' },
  { kind: 'tinChecks', label: 'TIN checks' },
] as const;

const formatFigure = (figure: number): string => (figure === 0 ? 'No limit' : figure.toLocaleString('en'));

export function RequestLimits({ rateLimits }: Pick<OrganisationDetails, 'rateLimits'>) {
  return (
    <Paper withBorder p="md">
      <Stack>
        <Title order={2}>Request limits</Title>
        <Text size="sm">
          Maximum number of requests that your systems may send per minute. Ask the operator for higher limits.
        </Text>
        <Table aria-label="Request limits">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Per minute</Table.Th>
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
