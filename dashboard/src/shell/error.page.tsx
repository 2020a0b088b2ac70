import { Button, Group } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { ErrorAlert } from '../parts/error-alert';
import { ButtonLink } from '../parts/links';
import { Page } from '../parts/page';

/** Catches what a page or its loading throws. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <Page title="This page could not be shown">
      <ErrorAlert error={error} />
      <Group>
        <Button
          onClick={() => {
            reset();
            void router.invalidate();
          }}
        >
          Try again
        </Button>
        <ButtonLink to="/" variant="default" reloadDocument>
          Go to the start page
        </ButtonLink>
      </Group>
    </Page>
  );
}
