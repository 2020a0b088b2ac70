import { Button, Stack, Text, TextInput } from '@mantine/core';
import { isEmail, isNotEmpty, useForm } from '@mantine/form';
import { getRouteApi } from '@tanstack/react-router';
import { unwrap, client } from '../../api/client';
import { confirmSession } from '../../api/session';
import { ErrorAlert } from '../../parts/error-alert';
import { useFormCall } from '../../parts/form';
import { TextLink } from '../../parts/links';
import { NewPasswordInput, validatePassword } from '../../parts/new-password';
import { PlainPage } from '../../shell/plain-page';
import { useBeginSession } from './use-begin-session';

const route = getRouteApi('/sign-up');

export function SignUpPage() {
  const search = route.useSearch();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { organisationName: '', name: '', email: '', password: '' },
    validate: {
      organisationName: isNotEmpty('Enter the name of your organisation'),
      name: isNotEmpty('Enter your name'),
      email: isEmail('Enter an e-mail address such as aisyah@example.com'),
      password: validatePassword,
    },
  });
  const beginSession = useBeginSession(search.returnTo);
  const { onSubmit, pending, error, problems } = useFormCall(
    form,
    (body) => confirmSession(unwrap(client.POST('/api/dashboard/sign-up', { body }))),
    beginSession,
  );
  const field = (name: keyof typeof form.values) => ({ required: true, ...form.getInputProps(name) });
  return (
    <PlainPage title="Sign up your organisation">
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          <ErrorAlert error={error} problems={problems} />
          <TextInput
            label="Organisation"
            description="The registered name. You enter the tax number later."
            autoComplete="organization"
            key={form.key('organisationName')}
            {...field('organisationName')}
          />
          <TextInput label="Your name" autoComplete="name" key={form.key('name')} {...field('name')} />
          <TextInput
            label="E-mail address"
            type="email"
            autoComplete="username"
            key={form.key('email')}
            {...field('email')}
          />
          <NewPasswordInput key={form.key('password')} {...field('password')} />
          <Button type="submit" loading={pending}>
            Sign up
          </Button>
        </Stack>
      </form>
      <Text size="sm">
        Already signed up?{' '}
        <TextLink to="/sign-in" search={search} underline="always">
          Sign in
        </TextLink>
      </Text>
    </PlainPage>
  );
}
