import { Alert, Code, Stack, Text, Title } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import type { Transaction } from './use-transaction';

/** What the authority found, each with where it is, what to do, and the authority's own words. */
export function DocumentErrors({ errors }: { errors: Transaction['errors'] }) {
  if (errors.length === 0) return null;
  return (
    <Stack component="section" gap="sm" aria-label="Errors">
      <Title order={2}>{errors.length === 1 ? 'One error' : `${errors.length} errors`}</Title>
      {errors.map((error, index) => (
        // The same finding may come twice, word for word.
        // oxlint-disable-next-line react/no-array-index-key
        <DocumentError key={index} error={error} />
      ))}
    </Stack>
  );
}

function DocumentError({ error }: { error: Transaction['errors'][number] }) {
  const { field, message, hint, code, authorityCode, authorityMessage } = error;
  return (
    <Alert variant="outline" color="red" icon={<IconAlertCircle />} title={field ?? 'Not in the document itself'}>
      <Stack gap={6}>
        <Text size="sm">{message}</Text>
        {hint !== null && (
          <Text size="sm">
            <b>What to do:</b> {hint}
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {authorityMessage !== null && <>The tax authority says: “{authorityMessage}” </>}
          {authorityCode !== null && <Code>{authorityCode}</Code>} <Code>{code}</Code>
        </Text>
      </Stack>
    </Alert>
  );
}
