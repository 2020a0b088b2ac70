import { ActionIcon } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { CsvLink } from './csv-link';

interface ListActionsProps {
  /** The address of the same list as CSV, with its filters. */
  csv: string;
  onRefresh: () => Promise<unknown>;
}

/** What every list offers: itself as a file, and a refresh. */
export function ListActions({ csv, onRefresh }: ListActionsProps) {
  return (
    <>
      <CsvLink href={csv} />
      <RefreshButton onRefresh={onRefresh} />
    </>
  );
}

/** Reads a list again. */
export function RefreshButton({ onRefresh }: Pick<ListActionsProps, 'onRefresh'>) {
  // Not of the list's own refresh, which would take the button away every few seconds.
  const [isRefreshing, setRefreshing] = useState(false);
  const refresh = async () => {
    setRefreshing(true);
    await onRefresh();
    setRefreshing(false);
  };
  return (
    <ActionIcon
      variant="default"
      size="input-sm"
      aria-label="Refresh"
      title="Refresh"
      loading={isRefreshing}
      onClick={() => void refresh()}
    >
      <IconRefresh size={16} />
    </ActionIcon>
  );
}
