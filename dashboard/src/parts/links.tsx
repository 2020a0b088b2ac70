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

/** Links are underlined because colour alone does not distinguish them from text. */
export const TextLink = createLink((props: Native<AnchorProps>) => <Anchor inherit underline="always" {...props} />);

export const ButtonLink = createLink((props: Native<ButtonProps>) => <Button component="a" {...props} />);

/** Tile with a figure that links to its list. */
export const TileLink = createLink((props: Native<PaperProps>) => (
  <Paper component="a" withBorder p="sm" mih={96} c="var(--mantine-color-anchor)" td="none" {...props} />
));

/** Menu entry. The router marks the entry of the open page. */
export const MenuLink = createLink((props: Native<NavLinkProps>) => <NavLink component="a" {...props} />);
