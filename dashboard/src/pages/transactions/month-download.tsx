import { Button, Select, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toQuery } from '../../parts/address-query';
import { Dialog, DialogButtons } from '../../parts/dialog';
import { ErrorAlert } from '../../parts/error-alert';
import { listLastMonths, type Month } from '../../parts/malaysian-time';
import type { Scope } from '../../api/session';
import { countsQuery, describeDated, hasSome, sumCounts, type Total } from './counts';
import { FILES, PRINTED } from './files';

const MONTHS_SHOWN = 12;

interface MonthDialogProps {
  scope: Scope;
  onClose: () => void;
}

export function MonthDialog(props: MonthDialogProps) {
  return (
    <Dialog onClose={props.onClose} title="Files of a month">
      <MonthChoice {...props} />
    </Dialog>
  );
}

function MonthChoice({ scope, onClose }: MonthDialogProps) {
  const [months] = useState(() => listLastMonths(MONTHS_SHOWN));
  const [month, setMonth] = useState<Month>();
  return (
    <Stack>
      <Text size="sm">All documents dated in the month, as a ZIP file of at most 5,000 documents.</Text>
      <Select
        label="Month"
        placeholder="Choose a month"
        data={months.map(({ from, name }) => ({ value: from, label: name }))}
        value={month?.from ?? null}
        onChange={(value) => setMonth(months.find(({ from }) => from === value))}
        allowDeselect={false}
        data-autofocus
      />
      {month !== undefined && <MonthFiles scope={scope} month={month} />}
      <DialogButtons>
        <Button variant="default" onClick={onClose}>
          Back
        </Button>
      </DialogButtons>
    </Stack>
  );
}

function MonthFiles({ scope, month }: { scope: Scope; month: Month }) {
  const filters = { dated_from: month.from, dated_to: month.to };
  // Shows no placeholder because it would be the count for another month.
  const { data, error, refetch } = useQuery({ ...countsQuery(scope, filters), placeholderData: undefined });
  const all = sumCounts(data?.counts, undefined);
  const printed = sumCounts(data?.counts, undefined, (status) => PRINTED.includes(status));
  const base = `/api/dashboard/organisations/${scope.tenantId}/${scope.environment}`;
  const totals: Readonly<Record<(typeof FILES)[number]['name'], Total | null>> = {
    'transactions-pdf.zip': printed,
    'transactions-evidence.zip': all,
  };
  return (
    <>
      <ErrorAlert error={error} onRetry={() => void refetch()} />
      <Text component="output" size="sm">
        {all === null ? (error === null ? 'Counting …' : '') : describeDated(month.name, all)}
      </Text>
      {all?.hasMore === true && (
        <Text size="sm">
          A file contains at most 5,000 documents. Filter the list by fewer days, then download its documents.
        </Text>
      )}
      {FILES.filter(({ name }) => hasSome(totals[name])).map(({ name, label }) => (
        <Button
          key={name}
          component="a"
          href={`${base}/${name}${toQuery(filters)}`}
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          {label}
        </Button>
      ))}
    </>
  );
}
