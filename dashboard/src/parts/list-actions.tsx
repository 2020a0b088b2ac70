import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { CsvLink } from './csv-link';

interface ListActionsProps {
  /** The address of the same list as CSV, with its filters. */
  csv: string;
  isFetching: boolean;
  onRefresh: () => void;
}

/** What every list offers: itself as a file, and a refresh. */
export function ListActions({ csv, isFetching, onRefresh }: ListActionsProps) {
  return (
    <>
      <CsvLink href={csv} />
      <Button variant="default" leftSection={<IconRefresh size={16} />} loading={isFetching} onClick={onRefresh}>
        Refresh
      </Button>
    </>
  );
}
