import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import { hasRole } from '../../api/session';
import { toQuery } from '../../parts/address-query';
import { BulkDialog } from '../../parts/bulk/bulk-dialog';
import type { Scope } from '../../api/session';
import { useOrganisation } from '../../shell/use-session';
import { FILES } from './files';
import type { ListFilters } from './list-search';
import { MonthDialog } from './month-download';

interface ListMenuProps {
  scope: Scope;
  filters: ListFilters;
}

export function ListMenu({ scope, filters }: ListMenuProps) {
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
          <Downloads scope={scope} filters={filters} />
          <Menu.Label>Download a month</Menu.Label>
          <Menu.Item onClick={() => setDialog('month')}>Files of a month</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog === 'month' && <MonthDialog scope={scope} onClose={close} />}
      {(dialog === 'correct' || dialog === 'cancel') && (
        <BulkDialog scope={scope} kind={dialog} filters={filters} onClose={close} />
      )}
    </>
  );
}

function Downloads({ scope, filters }: ListMenuProps) {
  const base = `/api/dashboard/organisations/${scope.tenantId}/${scope.environment}`;
  const files = [{ name: 'transactions.csv', label: 'CSV' }, ...FILES];
  return files.map(({ name, label }) => (
    <Menu.Item key={name} component="a" href={`${base}/${name}${toQuery(filters)}`}>
      {label}
    </Menu.Item>
  ));
}
