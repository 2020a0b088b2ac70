import { Table } from '@mantine/core';
import { Instant } from '../../parts/instant';
import { TextLink } from '../../parts/links';
import { StatusBadge } from '../../parts/status-badge';
import { Panel } from '../../parts/panel';
import type { TransactionScope, Transaction } from './use-transaction';

export function Attempts({ scope, attempts }: { scope: TransactionScope; attempts: Transaction['attempts'] }) {
  if (attempts.length < 2) return null;
  return (
    <Panel title="Attempts">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Attempt</Table.Th>
            <Table.Th>Accepted</Table.Th>
            <Table.Th>Status</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {attempts.map(({ transactionId, attempt, createdAt, status }) => (
            <Table.Tr key={transactionId}>
              <Table.Td>
                {transactionId === scope.transactionId ? (
                  `${attempt} (this one)`
                ) : (
                  <TextLink
                    to="/o/$tenantId/$environment/transactions/$transactionId"
                    params={{ ...scope, transactionId }}
                  >
                    {attempt}
                  </TextLink>
                )}
              </Table.Td>
              <Table.Td>
                <Instant at={createdAt} />
              </Table.Td>
              <Table.Td>
                <StatusBadge status={status} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}
