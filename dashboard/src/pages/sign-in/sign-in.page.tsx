import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { getRouteApi } from '@tanstack/react-router';
import { unwrap, client } from '../../api/client';
import { ErrorAlert } from '../../parts/error-alert';
import { useFormCall } from '../../parts/form';
import { TextLink } from '../../parts/links';
import { PlainPage } from '../../shell/plain-page';
import { EndedSession } from './ended-session';
import { useBeginSession } from './use-begin-session';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const search = route.useSearch();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '', password: '' },
    validate: { email: isNotEmpty('Enter your e-mail address'), password: isNotEmpty('Enter your password') },
  });
  const beginSession = useBeginSession(search.returnTo);
  const { onSubmit, pending, error, problems } = useFormCall(
    form,
    (body) => unwrap(client.POST('/api/dashboard/sign-in', { body })),
    beginSession,
  );
  return (
    <PlainPage title="Sign in">
      <EndedSession />
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          <ErrorAlert error={error} problems={problems} />
          <TextInput
            label="E-mail address"
            type="email"
            autoComplete="username"
            required
            key={form.key('email')}
            {...form.getInputProps('email')}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            key={form.key('password')}
            {...form.getInputProps('password')}
          />
          <Button type="submit" loading={pending}>
            Sign in
          </Button>
        </Stack>
      </form>
      <Text size="sm">
        New here?{' '}
        <TextLink to="/sign-up" search={search} underline="always">
          Sign up your organisation
        </TextLink>
      </Text>
    </PlainPage>
  );
}
