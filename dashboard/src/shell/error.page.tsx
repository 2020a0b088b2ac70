import { Button, Group } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { asFailure } from '../api/errors';
import { ErrorAlert } from '../parts/error-alert';
import { ButtonLink } from '../parts/links';
import { Page } from '../parts/page';
import { PlainPage } from './plain-page';

const TITLE = 'This page could not be shown';

export function ErrorPage(props: ErrorComponentProps) {
  return (
    <Page title={TITLE}>
      <WaysOut {...props} />
    </Page>
  );
}

/** Error page without the layout, which requires a session. */
export function PlainErrorPage(props: ErrorComponentProps) {
  return (
    <PlainPage title={TITLE}>
      <WaysOut {...props} />
    </PlainPage>
  );
}

function WaysOut({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    // Browsers may cache a failed import, so only a reload helps.
    if (asFailure(error).code === 'part_not_loaded') return location.reload();
    reset();
    void router.invalidate();
  };
  return (
    <>
      <ErrorAlert error={error} />
      <Group>
        <Button onClick={retry}>Try again</Button>
        <ButtonLink to="/" variant="default" reloadDocument>
          Go to the start page
        </ButtonLink>
      </Group>
    </>
  );
}
