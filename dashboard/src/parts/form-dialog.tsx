import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog, DialogButtons } from './dialog';
import { ErrorAlert } from './error-alert';
import type { useFormCall } from './form';

interface FormDialogProps {
  title: string;
  /** Content of the submit button. */
  action: ReactNode;
  isDangerous?: boolean;
  call: Pick<ReturnType<typeof useFormCall>, 'onSubmit' | 'pending' | 'error' | 'problems'>;
  onClose: () => void;
  children: ReactNode;
}

export function FormDialog({ title, action, isDangerous = false, call, onClose, children }: FormDialogProps) {
  return (
    <Dialog onClose={onClose} title={title}>
      <form onSubmit={call.onSubmit} noValidate>
        <Stack>
          <ErrorAlert error={call.error} problems={call.problems} />
          {children}
          <DialogButtons>
            <Button variant="default" onClick={onClose}>
              Back
            </Button>
            <Button type="submit" color={isDangerous ? 'red' : undefined} loading={call.pending}>
              {action}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Dialog>
  );
}
