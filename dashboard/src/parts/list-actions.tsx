import { Button } from '@mantine/core';
import { IconDownload, IconRefresh } from '@tabler/icons-react';

interface ListActionsProps {
  /** The address of the same list as CSV, with its filters. */
  csv: string;
  isFetching: boolean;
  onRefresh: () => void;
}

/** What every list offers: itself as a file, and itself anew. */
export function ListActions({ csv, isFetching, onRefresh }: ListActionsProps) {
  return (
    <>
      <Button component="a" href={csv} download variant="default" leftSection={<IconDownload size={16} />}>
        Download CSV
      </Button>
      <Button variant="default" leftSection={<IconRefresh size={16} />} loading={isFetching} onClick={onRefresh}>
        Refresh
      </Button>
    </>
  );
}
