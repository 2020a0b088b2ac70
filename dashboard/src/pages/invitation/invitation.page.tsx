import { Button, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';
import { beginSession, confirmSession, type Session, reloadSession } from '../../api/session';
import { ErrorAlert } from '../../parts/error-alert';
import { leaveSession } from '../../parts/leave-session';
import { useFormCall } from '../../parts/form';
import { ButtonLink } from '../../parts/links';
import { NewPasswordInput, validatePassword } from '../../parts/new-password';
import { formatRole } from '../../parts/roles';
import { PlainPage } from '../../shell/plain-page';
import { forgetSecret } from './secret';

const route = getRouteApi('/invitation');

type Opened = components['schemas']['OpenedInvitationDto'];

interface InvitationActionsProps {
  secret: string;
  opened: Opened;
}

export function InvitationPage() {
  const { secret, session } = route.useRouteContext();
  const query = useQuery({
    queryKey: ['invitation', secret],
    queryFn: () => unwrap(client.POST('/api/dashboard/invitations/look-up', { body: { secret } })),
    // The lookup of a used link would fail.
    refetchOnWindowFocus: false,
  });
  return (
    <PlainPage title="Invitation">
      {query.isPending && <Skeleton h={220} />}
      {query.isError && (
        <>
          <ErrorAlert error={query.error} />
          <Text size="sm">
            A link can be used once. It is valid for one week unless a newer link replaces it. If you have already used
            it, sign in.
          </Text>
          <ButtonLink to="/" variant="default">
            Go to the start page
          </ButtonLink>
        </>
      )}
      {query.isSuccess && (
        <>
          <Text>
            You are invited to join <b>{query.data.organisation}</b> as {formatRole(query.data.role).toLowerCase()},
            with the e-mail address <b style={{ overflowWrap: 'anywhere' }}>{query.data.email}</b>.
          </Text>
          <InvitationActions secret={secret} opened={query.data} session={session} />
        </>
      )}
    </PlainPage>
  );
}

function InvitationActions({ session, ...props }: InvitationActionsProps & { session: Session | null }) {
  if (session === null) return <MakeAccount {...props} />;
  return session.user.email === props.opened.email ? <Join {...props} /> : <OtherAccount session={session} />;
}

function OtherAccount({ session }: { session: Session }) {
  const queryClient = useQueryClient();
  const router = useRouter();
  const signOut = useMutation({
    mutationFn: () => unwrap(client.POST('/api/dashboard/sign-out')),
    onSuccess: () => {
      leaveSession(queryClient);
      return router.invalidate();
    },
  });
  return (
    <>
      <ErrorAlert error={signOut.error} />
      <Text size="sm">
        You are signed in as <b>{session.user.email}</b>. The link is valid only for the invited address. Sign out and
        continue with that address.
      </Text>
      <Button onClick={() => signOut.mutate()} loading={signOut.isPending}>
        Sign out and continue
      </Button>
    </>
  );
}

function Join({ secret, opened }: InvitationActionsProps) {
  const queryClient = useQueryClient();
  const router = useRouter();
  const join = useMutation({
    mutationFn: () => unwrap(client.POST('/api/dashboard/invitations/accept', { body: { secret } })),
    onSuccess: async ({ tenantId }) => {
      forgetSecret();
      await reloadSession(queryClient);
      await router.navigate({ to: '/o/$tenantId', params: { tenantId } });
    },
  });
  return (
    <>
      <ErrorAlert error={join.error} />
      <Button onClick={() => join.mutate()} loading={join.isPending}>
        Join {opened.organisation}
      </Button>
    </>
  );
}

function MakeAccount({ secret, opened }: InvitationActionsProps) {
  const queryClient = useQueryClient();
  const router = useRouter();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', password: '' },
    validate: {
      name: isNotEmpty('Enter your name'),
      password: validatePassword,
    },
  });
  const { onSubmit, pending, error, problems } = useFormCall(
    form,
    (values) =>
      confirmSession(unwrap(client.POST('/api/dashboard/invitations/sign-up', { body: { secret, ...values } }))),
    (session) => {
      forgetSecret();
      beginSession(queryClient, session);
      return router.navigate({ to: '/' });
    },
  );
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack>
        <ErrorAlert error={error} problems={problems} />
        {/* Password managers store the password together with this name. */}
        <input type="hidden" name="username" autoComplete="username" value={opened.email} />
        <TextInput
          label="Your name"
          autoComplete="name"
          required
          key={form.key('name')}
          {...form.getInputProps('name')}
        />
        <NewPasswordInput key={form.key('password')} {...form.getInputProps('password')} />
        <Button type="submit" loading={pending}>
          Create an account and join
        </Button>
        <Text size="sm">
          If you already have an account with this address, sign in. You will then return to this page.
        </Text>
        <ButtonLink to="/sign-in" search={{ returnTo: '/invitation' }} variant="default">
          Sign in to join
        </ButtonLink>
      </Stack>
    </form>
  );
}
