import { Button, Group, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { unwrap, client } from '../../api/client';
import { reloadSession } from '../../api/session';
import { ErrorAlert } from '../../parts/error-alert';
import { useFormCall } from '../../parts/form';
import { NewPasswordInput, validatePassword } from '../../parts/new-password';
import { Page } from '../../parts/page';
import { useSession } from '../../shell/use-session';
import { Sessions } from './sessions';

export function AccountPage() {
  const { user } = useSession();
  return (
    <Page title="Your account">
      <Text c="dimmed">{user.email}</Text>
      <NameForm name={user.name} />
      <PasswordForm email={user.email} />
      <Sessions />
    </Page>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" maw={520}>
      <Stack>
        <Title order={2}>{title}</Title>
        {children}
      </Stack>
    </Paper>
  );
}

function Done({ text }: { text: string }) {
  return (
    <Text component="output" size="sm">
      {text}
    </Text>
  );
}

function NameForm({ name }: { name: string }) {
  const queryClient = useQueryClient();
  const router = useRouter();
  const [done, setDone] = useState('');
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name },
    validate: { name: isNotEmpty('Enter your name') },
  });
  const { onSubmit, pending, error, problems } = useFormCall(
    form,
    (body) => unwrap(client.PATCH('/api/dashboard/account', { body })),
    async () => {
      setDone('Your name has been changed.');
      await reloadSession(queryClient);
      await router.invalidate();
    },
  );
  return (
    <Section title="Name">
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="xs">
          <ErrorAlert error={error} problems={problems} />
          <TextInput
            label="Your name"
            description="Shown to the members of your organisations."
            autoComplete="name"
            required
            key={form.key('name')}
            {...form.getInputProps('name')}
          />
          <Group mt="xs">
            <Button type="submit" loading={pending}>
              Save name
            </Button>
            <Done text={done} />
          </Group>
        </Stack>
      </form>
    </Section>
  );
}

function PasswordForm({ email }: { email: string }) {
  const queryClient = useQueryClient();
  const [done, setDone] = useState('');
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { current: '', next: '' },
    validate: {
      current: isNotEmpty('Enter your current password'),
      next: validatePassword,
    },
  });
  const { onSubmit, pending, error, problems } = useFormCall(
    form,
    (body) => unwrap(client.POST('/api/dashboard/password', { body })),
    () => {
      form.reset();
      setDone('Your password has been changed. All other browsers are signed out.');
      return queryClient.invalidateQueries({ queryKey: ['sessions'] });
    },
  );
  return (
    <Section title="Password">
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="xs">
          <ErrorAlert error={error} problems={problems} />
          {/* Password managers store the password together with this name. */}
          <input type="hidden" name="username" autoComplete="username" value={email} />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            key={form.key('current')}
            {...form.getInputProps('current')}
          />
          <NewPasswordInput
            label="New password"
            note="All other browsers will be signed out."
            key={form.key('next')}
            {...form.getInputProps('next')}
          />
          <Group mt="xs">
            <Button type="submit" loading={pending}>
              Change password
            </Button>
            <Done text={done} />
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
