import { Flex, Modal, type ModalProps } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { focusHeading } from './heading-focus';

const DIALOG = '[role="dialog"]';

/** Element that opened the first of several successive dialogs. */
let opener: Element | null = null;

/** Dialog that is open while it is mounted. It returns the focus to the element that opened it. */
export function Dialog(props: Omit<ModalProps, 'opened' | 'returnFocus'>) {
  useFocusReturn();
  return <Modal opened returnFocus={false} {...props} />;
}

/** Stacked vertically in a narrow window. */
export function DialogButtons({ children }: { children: ReactNode }) {
  return (
    <Flex direction={{ base: 'column', xs: 'row' }} justify="flex-end" gap="xs">
      {children}
    </Flex>
  );
}

// Mantine's own focus return needs a change of `opened`, which an unmounted dialog never has.
function useFocusReturn(): void {
  useState(() => {
    const active = document.activeElement;
    if (active !== document.body && active?.closest(DIALOG) === null) opener = active;
  });
  useEffect(() => () => void setTimeout(returnFocus), []);
}

/** Focuses the page heading if the opener is gone, such as the button of a deleted row. */
function returnFocus(): void {
  if (document.querySelector(DIALOG) !== null) return;
  if (opener instanceof HTMLElement && opener.isConnected && !opener.matches(':disabled')) {
    opener.focus({ preventScroll: true });
  } else focusHeading();
}
