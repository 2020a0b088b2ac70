import { Anchor, Box, Center, Table } from '@mantine/core';
import { QRCodeSVG } from 'qrcode.react';
import type { ReactNode } from 'react';
import { formatActor } from '../../parts/actor';
import { Copyable } from '../../parts/copyable';
import { formatAmount, formatCount, formatDocumentType, formatDuration } from '../../parts/format';
import { Instant } from '../../parts/instant';
import { formatDay, formatMalaysianTime } from '../../parts/malaysian-time';
import { TextLink } from '../../parts/links';
import { Panel } from '../../parts/panel';
import type { TransactionScope, Transaction } from './use-transaction';

type Line = readonly [label: string, value: ReactNode];

export function Facts({ transaction }: { transaction: Transaction }) {
  const { totals } = transaction;
  return (
    <Panel title="Document">
      <Lines lines={buildLines(transaction)} />
      <Table withTableBorder aria-label="Totals in ringgit">
        <Table.Tbody>
          <Total label="Total excluding tax" value={totals.totalExcludingTax} />
          <Total label="Tax" value={totals.totalTaxAmount} />
          <Total label="Total including tax" value={totals.totalIncludingTax} />
          <Total label="Payable" value={totals.totalPayableAmount} isLast />
        </Table.Tbody>
      </Table>
    </Panel>
  );
}

function buildLines(transaction: Transaction): Line[] {
  const { buyer, heldFor, cancellableUntil, cancel, now } = transaction;
  const lines: (Line | null)[] = [
    ['Type', `${formatDocumentType(transaction.documentType)}, ${transaction.submissionType}`],
    ['Document date', formatDay(transaction.documentDate)],
    ['Buyer', buyer === null ? 'General public' : buyer.name],
    buyer === null ? null : ['Buyer TIN', `${buyer.tin}, ${buyer.idType} ${buyer.idValue}`],
    ['Lines', formatCount(transaction.lineCount)],
    ...transaction.otherFields.map(({ name, value }): Line => [name, value]),
    heldFor === null ? null : ['Held for', `${formatDocumentType(heldFor.documentType)} ${heldFor.referenceId}`],
    instantLine('Issued', transaction.issuedAt),
    instantLine('Accepted by the authority', transaction.submittedAt),
    instantLine('Validated', transaction.validatedAt),
    instantLine('Cancelled', transaction.cancelledAt),
    // Omits the deadline of a document that cannot be cancelled.
    cancellableUntil === null || !cancel.isPossible
      ? null
      : ['Cancellable until', formatDeadline(cancellableUntil, now)],
    transaction.submittedBy === null ? null : ['Submitted by', formatActor(transaction.submittedBy)],
  ];
  return lines.filter((line) => line !== null);
}

export function TechnicalDetails({ scope, transaction }: { scope: TransactionScope; transaction: Transaction }) {
  return (
    <Panel title="Technical details">
      <Lines lines={buildIds(scope, transaction)} />
    </Panel>
  );
}

function buildIds(scope: TransactionScope, transaction: Transaction): Line[] {
  const { authorityUuid, authoritySubmissionUid, builtDocument, timeline } = transaction;
  const correlations = timeline
    .flatMap(({ correlationId, status, text }) => (correlationId === null ? [] : `${status ?? text}: ${correlationId}`))
    .join('\n');
  const lines: (Line | null)[] = [
    authorityUuid === null ? null : ['Authority UUID', authorityUuid],
    authoritySubmissionUid === null ? null : ['Authority call', authoritySubmissionUid],
    [
      'Batch',
      <TextLink
        key="batch"
        to="/o/$tenantId/$environment/transactions"
        params={scope}
        search={{ batch: transaction.submissionBatchId, attempts: 'all' }}
      >
        {transaction.submissionBatchId}
      </TextLink>,
    ],
    ['Document id', transaction.documentId],
    ['Transaction id', transaction.transactionId],
    correlations === '' ? null : ['Correlation ids', correlations],
    builtDocument === null
      ? null
      : ['Built document', `${formatCount(builtDocument.bytes)} bytes, version ${builtDocument.version}`],
    builtDocument === null ? null : ['SHA-256 of the document', builtDocument.sha256],
  ];
  return lines.filter((line) => line !== null);
}

function instantLine(label: string, instant: string | null): Line | null {
  return instant === null ? null : [label, <Instant key={label} at={instant} />];
}

function formatDeadline(until: string, now: string): string {
  const seconds = (Date.parse(until) - Date.parse(now)) / 1_000;
  return `${formatMalaysianTime(until)}, ${formatDuration(seconds)} left`;
}

function Lines({ lines }: { lines: readonly Line[] }) {
  return (
    <Table withRowBorders={false} verticalSpacing={4} horizontalSpacing={0} layout="fixed">
      <Table.Tbody>
        {lines.map(([label, value]) => (
          <Table.Tr key={label} style={{ verticalAlign: 'top' }}>
            <Table.Th scope="row" w={{ base: 116, xs: 175 }} fw={400} c="dimmed" pe="sm">
              {label}
            </Table.Th>
            <Table.Td style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Total({ label, value, isLast = false }: { label: string; value: number; isLast?: boolean }) {
  return (
    <Table.Tr fw={isLast ? 600 : undefined}>
      <Table.Td>{label}</Table.Td>
      <Table.Td ta="right" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {formatAmount(value)}
      </Table.Td>
    </Table.Tr>
  );
}

const QR_PIXELS = 168;

/** Shows the authority's public page of the document as a QR code and a link. */
export function Validation({ transaction: { validationUrl } }: { transaction: Transaction }) {
  if (validationUrl === null) return null;
  return (
    <Panel title="Validation link">
      <Center>
        {/* QR codes need a light background even in the dark colour scheme. */}
        <Box bg="white" p="sm">
          <QRCodeSVG value={validationUrl} size={QR_PIXELS} level="M" title="QR code of the validation link" />
        </Box>
      </Center>
      <Anchor href={validationUrl} target="_blank" rel="noreferrer" size="sm">
        Open it at the tax authority
      </Anchor>
      <Copyable value={validationUrl} what="the validation link" />
    </Panel>
  );
}
