import { ActionIcon } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { CsvLink } from './csv-link';

interface ListActionsProps {
  csv: string;
  onRefresh: () => Promise<unknown>;
}

export function ListActions({ csv, onRefresh }: ListActionsProps) {
  return (
    <>
      <CsvLink href={csv} />
      <RefreshButton onRefresh={onRefresh} />
    </>
  );
}

export function RefreshButton({ onRefresh }: Pick<ListActionsProps, 'onRefresh'>) {
  // Ignores automatic refreshes, which would flash the button every few seconds.
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
