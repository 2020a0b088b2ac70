import { Button, Select, Stack, Text, TextInput } from '@mantine/core';
import { isEmail, useForm } from '@mantine/form';
import { useState } from 'react';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';
import type { Role } from '../../api/session';
import { Copyable } from '../../parts/copyable';
import { Dialog, DialogButtons } from '../../parts/dialog';
import { useFormCall } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
import { Instant } from '../../parts/instant';
import { ROLES, RolesExplained } from '../../parts/roles';
import { useOrganisation } from '../../shell/use-session';

type MadeInvitation = components['schemas']['MadeInvitationDto'];

interface InviteDialogProps {
  onMade: () => Promise<void>;
  onClose: () => void;
}

export function InviteDialog({ onMade, onClose }: InviteDialogProps) {
  const { tenantId } = useOrganisation();
  const [made, setMade] = useState<MadeInvitation | null>(null);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '', role: 'viewer' as Role },
    validate: { email: isEmail('Enter an e-mail address such as aisyah@example.com') },
  });
  const call = useFormCall(
    form,
    (body) =>
      unwrap(
        client.POST('/api/dashboard/organisations/{tenantId}/invitations', { params: { path: { tenantId } }, body }),
      ),
    async (invitation) => {
      setMade(invitation);
      await onMade();
    },
  );
  if (made !== null) return <ShownLink made={made} onClose={onClose} />;
  return (
    <FormDialog title="Invite a member" action="Create the link" call={call} onClose={onClose}>
      <TextInput
        label="E-mail address"
        description="The link works for this address only."
        type="email"
        required
        data-autofocus
        key={form.key('email')}
        {...form.getInputProps('email')}
      />
      <Select
        label="Role"
        data={ROLES.map(({ value, label }) => ({ value, label }))}
        allowDeselect={false}
        key={form.key('role')}
        {...form.getInputProps('role')}
      />
      <RolesExplained />
    </FormDialog>
  );
}

function ShownLink({ made, onClose }: { made: MadeInvitation; onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title="Send this link" size="lg" closeOnClickOutside={false} withCloseButton={false}>
      <Stack>
        <Text size="sm">
          Send the link to {made.email} yourself, because it is not sent by e-mail. It is not shown again. It can be
          used once, until <Instant at={made.expiresAt} hasZone />.
        </Text>
        <Copyable value={`${window.location.origin}/dashboard/invitation#${made.secret}`} what="the link" />
        <DialogButtons>
          <Button onClick={onClose}>Done</Button>
        </DialogButtons>
      </Stack>
    </Dialog>
  );
}
