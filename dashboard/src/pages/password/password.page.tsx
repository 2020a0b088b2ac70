import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { unwrap, client } from '../../api/client';
import { beginSession } from '../../api/session';
import { ErrorAlert } from '../../parts/error-alert';
import { useFormCall } from '../../parts/form';
import { ButtonLink } from '../../parts/links';
import { NewPasswordInput, validatePassword } from '../../parts/new-password';
import { PlainPage } from '../../shell/plain-page';

const route = getRouteApi('/password');

/** Target page of a password link that an operator created. */
export function PasswordPage() {
  const { secret } = route.useRouteContext();
  const query = useQuery({
    queryKey: ['password-link', secret],
    queryFn: () => unwrap(client.POST('/api/dashboard/password-links/look-up', { body: { secret } })),
    // The lookup of a used link would fail.
    refetchOnWindowFocus: false,
  });
  return (
    <PlainPage title="Choose your password">
      {query.isPending && <Skeleton h={180} />}
      {query.isError && (
        <>
          <ErrorAlert error={query.error} />
          <Text size="sm">
            A link can be used once. It is valid for three days unless you sign in or a newer link replaces it. If you
            already have a password, sign in.
          </Text>
          <ButtonLink to="/sign-in" variant="default">
            Sign in
          </ButtonLink>
        </>
      )}
      {query.isSuccess && <ChoosePassword secret={secret} email={query.data.email} />}
    </PlainPage>
  );
}

function ChoosePassword({ secret, email }: { secret: string; email: string }) {
  const queryClient = useQueryClient();
  const router = useRouter();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { password: '' },
    validate: { password: validatePassword },
  });
  const { onSubmit, pending, error, problems } = useFormCall(
    form,
    ({ password }) => unwrap(client.POST('/api/dashboard/password-links/use', { body: { secret, password } })),
    (session) => {
      beginSession(queryClient, session);
      return router.navigate({ to: '/' });
    },
  );
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack>
        <ErrorAlert error={error} problems={problems} />
        <Text>
          For the account with the e-mail address <b style={{ overflowWrap: 'anywhere' }}>{email}</b>.
        </Text>
        {/* Password managers store the password together with this name. */}
        <input type="hidden" name="username" autoComplete="username" value={email} />
        <NewPasswordInput key={form.key('password')} {...form.getInputProps('password')} />
        <Button type="submit" loading={pending}>
          Set the password and sign in
        </Button>
      </Stack>
    </form>
  );
}
