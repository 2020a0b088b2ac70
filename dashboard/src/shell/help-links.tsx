import { Anchor, Group } from '@mantine/core';
import { useSession } from './use-session';

const PAGES = [
  { label: 'Guide', href: '/docs/dashboard' },
  { label: 'API documentation', href: '/docs/' },
] as const;

/** Links to the documentation and to the operator's support page, if one is configured. */
export function HelpLinks({ label = 'Help' }: { label?: string }) {
  const { supportUrl } = useSession();
  const links = supportUrl === null ? PAGES : [...PAGES, { label: 'Support', href: supportUrl }];
  return (
    <Group component="nav" aria-label={label} gap="sm">
      {links.map(({ label: text, href }) => (
        <Anchor key={text} href={href} size="sm" underline="always" target="_blank" rel="noreferrer">
          {text}
        </Anchor>
      ))}
    </Group>
  );
}
