import { Button, Select, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { unwrap, client } from '../../api/client';
import type { paths } from '../../api/schema';
import { Dialog, DialogButtons } from '../../parts/dialog';
import { ErrorAlert } from '../../parts/error-alert';
import { useFormCall } from '../../parts/form';
import { ROLES, RolesExplained } from '../../parts/roles';
import { useOrganisation } from '../../shell/use-session';

export type MemberRow =
  paths['/api/dashboard/organisations/{tenantId}/members']['get']['responses'][200]['content']['application/json']['items'][number];

interface ChangeRoleDialogProps {
  member: MemberRow;
  onDone: () => Promise<void>;
  onClose: () => void;
}

export function ChangeRoleDialog({ member, onDone, onClose }: ChangeRoleDialogProps) {
  const { tenantId } = useOrganisation();
  const form = useForm({ mode: 'uncontrolled', initialValues: { role: member.role } });
  const path = { tenantId, userId: member.userId };
  const { onSubmit, pending, error, problems } = useFormCall(
    form,
    (body) =>
      unwrap(client.PATCH('/api/dashboard/organisations/{tenantId}/members/{userId}', { params: { path }, body })),
    async () => {
      await onDone();
      onClose();
    },
  );
  return (
    <Dialog onClose={onClose} title={`Role of ${member.name}`}>
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          <ErrorAlert error={error} problems={problems} />
          <Select
            label="Role"
            data={ROLES.map(({ value, label }) => ({ value, label }))}
            allowDeselect={false}
            data-autofocus
            key={form.key('role')}
            {...form.getInputProps('role')}
          />
          <RolesExplained />
          <DialogButtons>
            <Button variant="default" onClick={onClose}>
              Back
            </Button>
            <Button type="submit" loading={pending}>
              Change role
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Dialog>
  );
}
