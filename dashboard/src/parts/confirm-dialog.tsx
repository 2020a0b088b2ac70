import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Dialog, DialogButtons } from './dialog';
import { ErrorAlert } from './error-alert';

interface ConfirmDialogProps {
  title: string;
  children: ReactNode;
  /** Label of the button. It names the action instead of "OK". */
  confirm: string;
  call: () => Promise<unknown>;
  onDone: () => unknown;
  onClose: () => void;
}

/** Asks for confirmation of an action that cannot be undone. */
export function ConfirmDialog({ title, children, confirm, call, onDone, onClose }: ConfirmDialogProps) {
  const mutation = useMutation({
    mutationFn: call,
    onSuccess: async () => {
      await onDone();
      onClose();
    },
  });
  return (
    <Dialog onClose={onClose} title={title}>
      <Stack>
        <ErrorAlert error={mutation.error} />
        {children}
        <DialogButtons>
          <Button variant="default" onClick={onClose} data-autofocus>
            Back
          </Button>
          <Button color="red" loading={mutation.isPending} onClick={() => mutation.mutate()}>
            {confirm}
          </Button>
        </DialogButtons>
      </Stack>
    </Dialog>
  );
}
