import { AppShell, Burger, Group, ScrollArea, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useLocation, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { AccountMenu } from './account-menu';
import { ColorSchemeSwitch } from './color-scheme-switch';
import { HelpLinks } from './help-links';
import classes from './layout.module.css';
import { NavigationMenu } from './navigation-menu';
import { OperatorOutageBanners, OutageBanner } from './outage-banner';
import { OtherUser } from './other-user';
import { lastEnvironment, lastOrganisation } from './remembered';
import { SandboxBadge } from './sandbox-badge';
import { OrganisationSwitch } from './environment-switch';
import { useSession } from './use-session';

const HEADER_HEIGHT = 56;
const NAVBAR_WIDTH = 240;

export function Layout() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  useEffect(close, [pathname, close]);
  const session = useSession();
  const params = useParams({ strict: false });
  const environment = session.environments.find((one) => one === params.environment) ?? lastEnvironment(session);
  const organisation =
    session.organisations.find(({ tenantId }) => tenantId === params.tenantId) ?? lastOrganisation(session);

  return (
    <AppShell
      header={{ height: HEADER_HEIGHT }}
      navbar={{ width: NAVBAR_WIDTH, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <AppShell.Header className={classes.header} mod={{ environment: params.environment }}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Menu"
              aria-expanded={isOpen}
              aria-controls="menu"
            />
            <Text fw={600} visibleFrom="xs">
              e-Invoice
            </Text>
            {params.environment === 'sandbox' && <SandboxBadge />}
          </Group>
          <Group gap="xs" wrap="nowrap">
            <ColorSchemeSwitch />
            <AccountMenu user={session.user} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar id="menu" p="sm" aria-label="Menu" className={classes.menu} mod={{ closed: !isOpen }}>
        {organisation !== undefined && <OrganisationSwitch session={session} organisation={organisation} />}
        <AppShell.Section grow component={ScrollArea}>
          <NavigationMenu session={session} organisation={organisation} environment={environment} />
        </AppShell.Section>
        <AppShell.Section>
          <Stack gap={4} px="xs" pt="xs">
            <HelpLinks />
            <Text size="xs" c="dimmed">
              All times are Malaysian (UTC+8)
            </Text>
          </Stack>
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Stack gap="md">
          <OtherUser />
          {params.tenantId !== undefined && organisation !== undefined && (
            <OutageBanner tenantId={organisation.tenantId} environment={environment} />
          )}
          {session.user.isOperator && pathname.includes('/operator/') && <OperatorOutageBanners />}
          <Outlet />
        </Stack>
      </AppShell.Main>
    </AppShell>
  );
}
