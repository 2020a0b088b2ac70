import { Group, List, ScrollArea, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Content, contentQuery } from '../../parts/invoice/content';
import { formatAmount, formatCount, formatDocumentType } from '../../parts/format';
import { TextLink } from '../../parts/links';
import { StatusBadge } from '../../parts/status-badge';
import { Panel } from './panel';
import type { Place } from './use-transaction';

type Line = Content['request']['documents'][number]['lineItems'][number];

/** More than these are counted; the request has them all. */
const LINES_SHOWN = 100;

/** What was sold, and the documents that refer to each other. */
export function LinesAndLinks({ place }: { place: Place }) {
  // The rest of the page says what failed, if it did.
  const { data } = useQuery(contentQuery(place));
  if (data === undefined) return null;
  const [{ lineItems, relatedInvoice }] = data.request.documents;
  return (
    <>
      <Lines lines={lineItems} />
      {relatedInvoice !== undefined && (
        <Panel title="Parent invoice">
          {data.parent === null ? (
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {relatedInvoice.referenceId}, which was not sent here
              {relatedInvoice.authorityUuid !== undefined && `: ${relatedInvoice.authorityUuid}`}
            </Text>
          ) : (
            <Linked place={place} documents={[data.parent]} />
          )}
        </Panel>
      )}
      {data.creditNotes.length > 0 && (
        <Panel title="Credit notes">
          <Linked place={place} documents={data.creditNotes} />
        </Panel>
      )}
    </>
  );
}

function Lines({ lines }: { lines: readonly Line[] }) {
  return (
    <Panel title="Lines">
      <ScrollArea type="auto" viewportProps={{ tabIndex: 0, 'aria-label': 'Lines in ringgit', role: 'region' }}>
        <Table verticalSpacing={4} miw={520}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Description</Table.Th>
              <Table.Th ta="right">Quantity</Table.Th>
              <Table.Th ta="right">Unit price</Table.Th>
              <Table.Th ta="right">Discount</Table.Th>
              <Table.Th ta="right">Tax</Table.Th>
              <Table.Th ta="right">Total</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.slice(0, LINES_SHOWN).map((line, index) => (
              // Lines have no name but their place.
              // oxlint-disable-next-line react/no-array-index-key
              <Table.Tr key={index}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {line.description}
                  <Text size="xs" c="dimmed">
                    {describeCodes(line)}
                  </Text>
                </Table.Td>
                {[
                  `${formatCount(line.quantity)}${line.unitCode === undefined ? '' : ` ${line.unitCode}`}`,
                  formatAmount(line.unitPrice),
                  formatAmount(line.discount ?? 0),
                  formatAmount(line.taxAmount ?? 0),
                  formatAmount(line.lineTotal ?? 0),
                ].map((text, column) => (
                  // oxlint-disable-next-line react/no-array-index-key
                  <Table.Td
                    key={column}
                    ta="right"
                    style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}
                  >
                    {text}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea>
      {lines.length > LINES_SHOWN && (
        <Text size="sm">and {formatCount(lines.length - LINES_SHOWN)} more, which are in the request below.</Text>
      )}
    </Panel>
  );
}

function describeCodes({ classification, taxType, taxExemptionReason, taxPerUnit, taxUnitCount }: Line): string {
  const parts = [
    classification === undefined ? null : `class ${classification}`,
    taxType === undefined ? null : `tax type ${taxType}`,
    taxPerUnit === undefined ? null : `${formatAmount(taxPerUnit)} of tax for each of ${taxUnitCount} units`,
    taxExemptionReason ?? null,
  ];
  return parts.filter((part) => part !== null).join(', ');
}

function Linked({ place, documents }: { place: Place; documents: Content['creditNotes'] }) {
  return (
    <List listStyleType="none" spacing="xs">
      {documents.map(({ transactionId, documentType, referenceId, status }) => (
        <List.Item key={transactionId}>
          <Group gap="sm">
            <TextLink to="/o/$tenantId/$environment/transactions/$transactionId" params={{ ...place, transactionId }}>
              {formatDocumentType(documentType)} {referenceId}
            </TextLink>
            <StatusBadge status={status} />
          </Group>
        </List.Item>
      ))}
    </List>
  );
}
