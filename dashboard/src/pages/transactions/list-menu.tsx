import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import { hasRole } from '../../api/session';
import { toQuery } from '../../parts/address-query';
import { BulkDialog } from '../../parts/bulk/bulk-dialog';
import type { Place } from '../../parts/needs-action/causes';
import { useOrganisation } from '../../shell/use-session';
import { FILES } from './files';
import type { ListFilters } from './list-search';
import { MonthDialog } from './month-download';

interface ListMenuProps {
  place: Place;
  filters: ListFilters;
}

/** What can be done with all documents of the list, whatever is selected. */
export function ListMenu({ place, filters }: ListMenuProps) {
  const [dialog, setDialog] = useState<'correct' | 'cancel' | 'month' | null>(null);
  const mayChange = hasRole(useOrganisation(), 'member');
  const close = () => setDialog(null);
  return (
    <>
      <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={16} aria-hidden />}>
            Actions
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {mayChange && (
            <>
              <Menu.Label>Change this list</Menu.Label>
              <Menu.Item onClick={() => setDialog('correct')}>Correct all failed documents</Menu.Item>
              <Menu.Item onClick={() => setDialog('cancel')}>Cancel all valid documents</Menu.Item>
            </>
          )}
          <Menu.Label>Download this list</Menu.Label>
          <Downloads place={place} filters={filters} />
          <Menu.Label>Download a month</Menu.Label>
          <Menu.Item onClick={() => setDialog('month')}>Files of a month</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog === 'month' && <MonthDialog place={place} onClose={close} />}
      {(dialog === 'correct' || dialog === 'cancel') && (
        <BulkDialog place={place} kind={dialog} filters={filters} onClose={close} />
      )}
    </>
  );
}

function Downloads({ place, filters }: ListMenuProps) {
  const base = `/api/dashboard/organisations/${place.tenantId}/${place.environment}`;
  const files = [{ name: 'transactions.csv', label: 'CSV' }, ...FILES];
  return files.map(({ name, label }) => (
    <Menu.Item key={name} component="a" href={`${base}/${name}${toQuery(filters)}`}>
      {label}
    </Menu.Item>
  ));
}
