import { Anchor, Box, Button, Center, Group, Table, Text } from '@mantine/core';
import { IconDownload, IconFileTypePdf, IconPrinter } from '@tabler/icons-react';
import { QRCodeSVG } from 'qrcode.react';
import type { ReactNode } from 'react';
import { formatActor } from '../../parts/actor';
import { Copyable } from '../../parts/copyable';
import { formatAmount, formatCount, formatDocumentType, formatDuration } from '../../parts/format';
import { Instant } from '../../parts/instant';
import { formatDay, formatMalaysianTime } from '../../parts/malaysian-time';
import { TextLink } from '../../parts/links';
import { Panel } from './panel';
import { fileAddress, type Place, type Transaction } from './use-transaction';

type Line = readonly [label: string, value: ReactNode];

/** What the document says, and what the authority calls it. */
export function Facts({ place, transaction }: { place: Place; transaction: Transaction }) {
  const { totals } = transaction;
  return (
    <Panel title="Document">
      <Table variant="vertical" withRowBorders={false} verticalSpacing={4} layout="fixed">
        <Table.Tbody>
          <Lines lines={buildLines(place, transaction)} />
        </Table.Tbody>
      </Table>
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

function buildLines(place: Place, transaction: Transaction): Line[] {
  const { buyer, heldFor, cancellableUntil, cancel, now, authorityUuid, authoritySubmissionUid } = transaction;
  const lines: (Line | null)[] = [
    ['Type', `${formatDocumentType(transaction.documentType)}, ${transaction.submissionType}`],
    ['Document date', formatDay(transaction.documentDate)],
    ['Buyer', buyer === null ? 'General public' : buyer.name],
    buyer === null ? null : ['Buyer TIN', `${buyer.tin}, ${buyer.idType} ${buyer.idValue}`],
    ['Lines', formatCount(transaction.lineCount)],
    ...transaction.otherFields.map(({ name, value }): Line => [name, value]),
    heldFor === null ? null : ['Held for', `${formatDocumentType(heldFor.documentType)} ${heldFor.referenceId}`],
    instantLine('Issued', transaction.issuedAt),
    instantLine('Taken by the authority', transaction.submittedAt),
    instantLine('Validated', transaction.validatedAt),
    instantLine('Cancelled', transaction.cancelledAt),
    // Time that is left says nothing of a document that cannot be cancelled; the page says why.
    cancellableUntil === null || !cancel.isPossible ? null : ['Cancellable until', deadlineText(cancellableUntil, now)],
    authorityUuid === null ? null : ['Authority UUID', authorityUuid],
    authoritySubmissionUid === null ? null : ['Authority call', authoritySubmissionUid],
    [
      'Batch',
      <TextLink
        key="batch"
        to="/o/$tenantId/$environment/transactions"
        params={place}
        search={{ batch: transaction.submissionBatchId, attempts: 'all' }}
      >
        {transaction.submissionBatchId}
      </TextLink>,
    ],
    transaction.submittedBy === null ? null : ['Submitted by', formatActor(transaction.submittedBy)],
    ['Document id', transaction.documentId],
    ['Transaction id', transaction.transactionId],
  ];
  return lines.filter((line) => line !== null);
}

function instantLine(label: string, instant: string | null): Line | null {
  return instant === null ? null : [label, <Instant key={label} at={instant} hasSeconds />];
}

function deadlineText(until: string, now: string): string {
  const seconds = (Date.parse(until) - Date.parse(now)) / 1_000;
  return `${formatMalaysianTime(until)}, ${formatDuration(seconds)} left`;
}

function Lines({ lines }: { lines: readonly Line[] }) {
  return lines.map(([label, value]) => (
    <Table.Tr key={label}>
      <Table.Th scope="row" w={{ base: 120, xs: 175 }} fw={500}>
        {label}
      </Table.Th>
      <Table.Td style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>{value}</Table.Td>
    </Table.Tr>
  ));
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

/** The authority's public page of the document, to be scanned or printed. */
export function Validation({ transaction: { validationUrl } }: { transaction: Transaction }) {
  if (validationUrl === null) return null;
  return (
    <Panel title="Validation link">
      <Center>
        {/* Scanners want dark on light, in the dark scheme too. */}
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

export function Files({
  place,
  transaction: { builtDocument, validationUrl },
}: {
  place: Place;
  transaction: Transaction;
}) {
  return (
    <Panel title="Files">
      <Group gap="xs">
        {validationUrl !== null && <Paper address={fileAddress(place, 'document.pdf')} />}
        <Download address={fileAddress(place, 'request.json')} label="Request" />
        {builtDocument !== null && <Download address={fileAddress(place, 'document.json')} label="Built document" />}
        <Download address={fileAddress(place, 'evidence.zip')} label="Evidence" />
      </Group>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {builtDocument === null
          ? 'The document is built for the authority just before it is sent.'
          : `Built: ${formatCount(builtDocument.bytes)} bytes, version ${builtDocument.version}, SHA-256 ${builtDocument.sha256}`}
      </Text>
    </Panel>
  );
}

/** The document as its buyer gets it. */
function Paper({ address }: { address: string }) {
  return (
    <>
      <Button component="a" href={address} download leftSection={<IconFileTypePdf size={16} aria-hidden />}>
        Download PDF
      </Button>
      <Button
        component="a"
        href={`${address}?view=print`}
        target="_blank"
        rel="noreferrer"
        variant="default"
        leftSection={<IconPrinter size={16} aria-hidden />}
      >
        Print
      </Button>
    </>
  );
}

function Download({ address, label }: { address: string; label: string }) {
  return (
    <Button component="a" href={address} download variant="default" leftSection={<IconDownload size={16} />}>
      {label}
    </Button>
  );
}
