import { Group, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Content, contentQuery } from '../../parts/invoice/content';
import { CardTable, type Column } from '../../parts/data-table';
import { formatAmount, formatCount, formatDocumentType } from '../../parts/format';
import { TextLink } from '../../parts/links';
import { StatusBadge } from '../../parts/status-badge';
import { Panel } from '../../parts/panel';
import type { TransactionScope } from './use-transaction';

type Line = Content['request']['documents'][number]['lineItems'][number];

/** Maximum number of lines shown. */
const LINES_SHOWN = 100;

export function LinesAndLinks({ scope }: { scope: TransactionScope }) {
  const { data } = useQuery(contentQuery(scope));
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
            <Linked scope={scope} documents={[data.parent]} />
          )}
        </Panel>
      )}
      {data.creditNotes.length > 0 && (
        <Panel title="Credit notes">
          <Linked scope={scope} documents={data.creditNotes} />
        </Panel>
      )}
    </>
  );
}

const COLUMNS: readonly Column<Line>[] = [
  {
    header: 'Description',
    cell: (line) => (
      <>
        {line.description}
        <Text size="xs" c="dimmed">
          {describeCodes(line)}
        </Text>
      </>
    ),
  },
  {
    header: 'Quantity',
    align: 'right',
    cell: ({ quantity, unitCode }) => (
      <Figure>{`${formatCount(quantity)}${unitCode === undefined ? '' : ` ${unitCode}`}`}</Figure>
    ),
  },
  { header: 'Unit price', align: 'right', cell: ({ unitPrice }) => <Figure>{formatAmount(unitPrice)}</Figure> },
  { header: 'Discount', align: 'right', cell: ({ discount = 0 }) => <Figure>{formatAmount(discount)}</Figure> },
  { header: 'Tax', align: 'right', cell: ({ taxAmount = 0 }) => <Figure>{formatAmount(taxAmount)}</Figure> },
  {
    header: 'Total',
    isAside: true,
    align: 'right',
    cell: ({ lineTotal = 0 }) => <Figure>{formatAmount(lineTotal)}</Figure>,
  },
];

function Figure({ children }: { children: string }) {
  return <span style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}>{children}</span>;
}

function Lines({ lines }: { lines: readonly Line[] }) {
  return (
    <Panel title="Lines">
      <CardTable label="Lines in ringgit" columns={COLUMNS} rows={lines.slice(0, LINES_SHOWN)} />
      {lines.length > LINES_SHOWN && (
        <Text size="sm">
          and {formatCount(lines.length - LINES_SHOWN)} more. The request under “Files” contains all lines.
        </Text>
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

function Linked({ scope, documents }: { scope: TransactionScope; documents: Content['creditNotes'] }) {
  return (
    <List listStyleType="none" spacing="xs">
      {documents.map(({ transactionId, documentType, referenceId, status }) => (
        <List.Item key={transactionId}>
          <Group gap="sm">
            <TextLink to="/o/$tenantId/$environment/transactions/$transactionId" params={{ ...scope, transactionId }}>
              {formatDocumentType(documentType)} {referenceId}
            </TextLink>
            <StatusBadge status={status} />
          </Group>
        </List.Item>
      ))}
    </List>
  );
}
