import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Dialog, DialogButtons } from './dialog';
import { ErrorAlert } from './error-alert';

interface ConfirmDialogProps {
  title: string;
  /** What happens then. */
  children: ReactNode;
  /** What the button says: the deed, not "OK". */
  confirm: string;
  call: () => Promise<unknown>;
  onDone: () => unknown;
  onClose: () => void;
}

/** Asks before what cannot be undone. Mounted while it is open. */
export function ConfirmDialog({ title, children, confirm, call, onDone, onClose }: ConfirmDialogProps) {
  const deed = useMutation({
    mutationFn: call,
    onSuccess: async () => {
      await onDone();
      onClose();
    },
  });
  return (
    <Dialog onClose={onClose} title={title}>
      <Stack>
        <ErrorAlert error={deed.error} />
        {children}
        <DialogButtons>
          <Button variant="default" onClick={onClose} data-autofocus>
            Back
          </Button>
          <Button color="red" loading={deed.isPending} onClick={() => deed.mutate()}>
            {confirm}
          </Button>
        </DialogButtons>
      </Stack>
    </Dialog>
  );
}
