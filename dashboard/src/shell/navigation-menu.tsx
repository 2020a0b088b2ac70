import { Divider, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { MenuLink } from '../parts/links';
import { NeedsActionCount } from '../parts/needs-action/count';
import type { Environment, Organisation, Session } from '../api/session';
import { entriesFor } from './home';
import { type NavigationEntry, navigation } from './navigation';
import { EnvironmentSwitch } from './environment-switch';

interface NavigationMenuProps {
  session: Session;
  organisation: Organisation | undefined;
  environment: Environment;
}

export function NavigationMenu({ session, organisation, environment }: NavigationMenuProps) {
  const operatorEntries = session.user.isOperator ? navigation.filter(({ area }) => area === 'operator') : [];
  return (
    <Stack gap={4}>
      {organisation !== undefined && (
        <>
          <EnvironmentSwitch session={session} organisation={organisation} environment={environment} />
          <Entries
            entries={entriesFor('environment', organisation)}
            params={{ tenantId: organisation.tenantId, environment }}
            counts={{ 'Needs action': <NeedsActionCount scope={{ tenantId: organisation.tenantId, environment }} /> }}
          />
          <Divider my="xs" />
          <Entries entries={entriesFor('organisation', organisation)} params={{ tenantId: organisation.tenantId }} />
        </>
      )}
      {operatorEntries.length > 0 && (
        <>
          {organisation !== undefined && <Divider my="xs" />}
          <Text size="xs" fw={600} c="dimmed" px="xs">
            Operator
          </Text>
          <Entries entries={operatorEntries} params={{}} />
        </>
      )}
    </Stack>
  );
}

interface EntriesProps {
  entries: readonly NavigationEntry[];
  params: object;
  /** Content after the label of an entry. */
  counts?: Partial<Record<string, ReactNode>>;
}

function Entries({ entries, params, counts = {} }: EntriesProps) {
  return entries.map(({ label, icon: Icon, to }) => (
    <MenuLink
      key={label}
      {...toLink(to, params)}
      label={label}
      leftSection={<Icon size={18} stroke={1.6} />}
      rightSection={counts[label]}
      activeOptions={{ includeSearch: false }}
      activeProps={{ active: true }}
    />
  ));
}

// The paths are checked in the table. Checking them again here would make the types too complex.
function toLink(to: NavigationEntry['to'], params: object): { to: '/' } {
  return { to, params } as { to: '/' };
}
