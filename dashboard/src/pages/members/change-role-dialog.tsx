import { Select } from '@mantine/core';
import { useForm } from '@mantine/form';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';
import { useFormCall } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
import { ROLES, RolesExplained } from '../../parts/roles';
import { useOrganisation } from '../../shell/use-session';

export type MemberRow = components['schemas']['MemberDto'];

interface ChangeRoleDialogProps {
  member: MemberRow;
  onDone: () => Promise<void>;
  onClose: () => void;
}

export function ChangeRoleDialog({ member, onDone, onClose }: ChangeRoleDialogProps) {
  const { tenantId } = useOrganisation();
  const form = useForm({ mode: 'uncontrolled', initialValues: { role: member.role } });
  const path = { tenantId, userId: member.userId };
  const call = useFormCall(
    form,
    (body) =>
      unwrap(client.PATCH('/api/dashboard/organisations/{tenantId}/members/{userId}', { params: { path }, body })),
    async () => {
      await onDone();
      onClose();
    },
  );
  return (
    <FormDialog title={`Role of ${member.name}`} action="Change role" call={call} onClose={onClose}>
      <Select
        label="Role"
        data={ROLES.map(({ value, label }) => ({ value, label }))}
        allowDeselect={false}
        data-autofocus
        key={form.key('role')}
        {...form.getInputProps('role')}
      />
      <RolesExplained />
    </FormDialog>
  );
}
