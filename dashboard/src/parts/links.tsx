import {
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  NavLink,
  type NavLinkProps,
  Paper,
  type PaperProps,
} from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

type Native<Props> = Props &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof Props> & { ref?: Ref<HTMLAnchorElement> };

/** A text link to a page of the dashboard; underlined, since a colour alone does not tell it from the words around it. */
export const TextLink = createLink((props: Native<AnchorProps>) => <Anchor inherit underline="always" {...props} />);

/** A link that looks like a button. */
export const ButtonLink = createLink((props: Native<ButtonProps>) => <Button component="a" {...props} />);

/** A figure that leads to what it counts. */
export const TileLink = createLink((props: Native<PaperProps>) => (
  <Paper component="a" withBorder p="sm" mih={96} c="var(--mantine-color-anchor)" td="none" {...props} />
));

/** An entry of the menu; the router marks the one whose page is open. */
export const MenuLink = createLink((props: Native<NavLinkProps>) => <NavLink component="a" {...props} />);
