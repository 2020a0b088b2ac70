import { Anchor, type AnchorProps, Button, type ButtonProps, NavLink, type NavLinkProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

type Native<Props> = Props &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof Props> & { ref?: Ref<HTMLAnchorElement> };

/** A text link to a page of the dashboard. */
export const TextLink = createLink((props: Native<AnchorProps>) => <Anchor inherit {...props} />);

/** A link that looks like a button. */
export const ButtonLink = createLink((props: Native<ButtonProps>) => <Button component="a" {...props} />);

/** An entry of the menu; the router marks the one whose page is open. */
export const MenuLink = createLink((props: Native<NavLinkProps>) => <NavLink component="a" {...props} />);
