import { Button, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';

interface TakeHomeProps {
  /** The address of the list's files at the API, without their names. */
  base: string;
  /** The filters of the list, as a query. */
  query: string;
}

/** What can be taken home of documents; addresses at the API. */
export const FILES = [
  { name: 'transactions-pdf.zip', label: 'PDFs of the valid documents' },
  { name: 'transactions-evidence.zip', label: 'Evidence: requests, documents, responses, history' },
] as const;

/** The statuses of documents that have a PDF. */
export const PRINTED: readonly string[] = ['Valid', 'Cancelled'];

/** The documents of the list, with its filters. */
export function TakeHome({ base, query }: TakeHomeProps) {
  return (
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />}>
          Download documents
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>All documents of this list, as ZIP</Menu.Label>
        {FILES.map(({ name, label }) => (
          <Menu.Item key={name} component="a" href={`${base}/${name}${query}`}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
