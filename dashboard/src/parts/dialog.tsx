import { Flex, Modal, type ModalProps } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { focusHeading } from './heading-focus';

const DIALOG = '[role="dialog"]';

/** What opened the first of the dialogs that follow each other. */
let opener: Element | null = null;

/** A dialog that is mounted while it is open. When it is gone, the focus is where it was before. */
export function Dialog(props: Omit<ModalProps, 'opened' | 'returnFocus'>) {
  useFocusReturn();
  return <Modal opened returnFocus={false} {...props} />;
}

/** The buttons of a dialog: side by side, and on a narrow window below each other, all as wide as the dialog. */
export function DialogButtons({ children }: { children: ReactNode }) {
  return (
    <Flex direction={{ base: 'column', xs: 'row' }} justify="flex-end" gap="xs">
      {children}
    </Flex>
  );
}

// Mantine's own waits for `opened` to change, which a dialog that is unmounted never does.
function useFocusReturn(): void {
  useState(() => {
    const active = document.activeElement;
    if (active !== document.body && active?.closest(DIALOG) === null) opener = active;
  });
  useEffect(() => () => void setTimeout(returnFocus), []);
}

/** To what opened the dialog, or to the page's heading when that has gone, such as the button of a deleted row. */
function returnFocus(): void {
  if (document.querySelector(DIALOG) !== null) return;
  if (opener instanceof HTMLElement && opener.isConnected && !opener.matches(':disabled')) {
    opener.focus({ preventScroll: true });
  } else focusHeading();
}
