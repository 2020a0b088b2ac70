import { Button, Menu } from '@mantine/core';
import { IconEdit } from '@tabler/icons-react';
import { useState } from 'react';
import { BulkDialog } from '../../parts/bulk/bulk-dialog';
import type { Place } from '../../parts/needs-action/causes';
import type { ListFilters } from './list-search';

/** Corrections and cancellations of all documents of the list, with its filters. */
export function ChangeMany({ place, filters }: { place: Place; filters: ListFilters }) {
  const [kind, setKind] = useState<'correct' | 'cancel' | null>(null);
  return (
    <>
      <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default" leftSection={<IconEdit size={16} aria-hidden />}>
            Change many
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setKind('correct')}>Correct all failed documents</Menu.Item>
          <Menu.Item onClick={() => setKind('cancel')}>Cancel all valid documents</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {kind !== null && <BulkDialog {...{ place, kind, filters }} onClose={() => setKind(null)} />}
    </>
  );
}
