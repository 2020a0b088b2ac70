import { Alert, Button, Code, Stack, Text, Title } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { ErrorLink, type ErrorScope } from '../../parts/error-links';
import { isFieldPointer } from '../../parts/invoice/field-actions';
import { toWords } from '../../parts/field-names';
import type { TransactionScope, Transaction } from './use-transaction';

interface DocumentErrorsProps {
  scope: TransactionScope;
  transaction: Pick<Transaction, 'errors' | 'referenceId'>;
  /** Focuses the form field of a pointer. */
  onGoTo?: (pointer: string) => void;
}

export function DocumentErrors({ scope, transaction: { errors, referenceId }, onGoTo }: DocumentErrorsProps) {
  if (errors.length === 0) return null;
  return (
    <Stack component="section" gap="sm" aria-label="Errors">
      <Title order={2}>{errors.length === 1 ? 'One error' : `${errors.length} errors`}</Title>
      {errors.map((error, index) => (
        // The authority may report the same error twice.
        // oxlint-disable-next-line react/no-array-index-key
        <DocumentError key={index} error={error} scope={{ ...scope, referenceId }} onGoTo={onGoTo} />
      ))}
    </Stack>
  );
}

interface DocumentErrorProps extends Pick<DocumentErrorsProps, 'onGoTo'> {
  error: Transaction['errors'][number];
  scope: ErrorScope;
}

function DocumentError({ error, scope, onGoTo }: DocumentErrorProps) {
  const { field, message, hint, code, pointer, authorityCode, authorityMessage } = error;
  return (
    <Alert variant="outline" color="red" icon={<IconAlertCircle />} title={field ?? 'Outside the document'}>
      <Stack gap={6} align="flex-start">
        <Text size="sm">{toWords(message)}</Text>
        <SentValue error={error} />
        {hint !== null && (
          <Text size="sm">
            <b>What to do:</b> {toWords(hint)}
          </Text>
        )}
        {onGoTo !== undefined && pointer !== null && (
          <Button size="xs" variant="default" onClick={() => onGoTo(pointer)}>
            {isFieldPointer(pointer) ? 'Go to the field' : 'Go to the form'}
          </Button>
        )}
        <ErrorLink code={code} scope={scope} />
        <Text size="xs" c="dimmed">
          {authorityMessage !== null && <>The tax authority says: “{authorityMessage}” </>}
          {authorityCode !== null && <Code>{authorityCode}</Code>} <Code>{code}</Code>
        </Text>
      </Stack>
    </Alert>
  );
}

/** Shows the value that the authority rejected. Renders nothing for a problem of the whole document. */
function SentValue({ error: { sentValue, pointer } }: Pick<DocumentErrorProps, 'error'>) {
  if (sentValue === null) return null;
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      <b>{pointer === null ? 'Sent from the profile:' : 'You sent:'}</b>{' '}
      {sentValue === '' ? 'nothing' : <bdi style={{ whiteSpace: 'pre-wrap' }}>{sentValue}</bdi>}
    </Text>
  );
}
