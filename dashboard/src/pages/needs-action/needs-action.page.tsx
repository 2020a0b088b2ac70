import { Button, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconEdit } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { hasRole, type Scope } from '../../api/session';
import { BulkDialog } from '../../parts/bulk/bulk-dialog';
import { EmptyState } from '../../parts/empty-state';
import { ErrorAlert } from '../../parts/error-alert';
import { formatCount } from '../../parts/format';
import { ButtonLink } from '../../parts/links';
import { type Cause, Causes, formatNeeds, type NeedsAction } from '../../parts/needs-action/causes';
import { DismissButton, readLatestIds } from '../../parts/needs-action/dismiss';
import { needsActionQuery } from '../../parts/needs-action/query';
import { Page } from '../../parts/page';
import { useOrganisation, useScope } from '../../shell/use-session';

export function NeedsActionPage() {
  const scope = useScope();
  const query = useQuery(needsActionQuery(scope));
  return (
    <Page title="Needs action" actions={query.data !== undefined && <Lists scope={scope} needsAction={query.data} />}>
      <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />
      {query.data === undefined ? (
        !query.isError && (
          <Stack component="section" aria-label="Loading …">
            <Skeleton h={96} />
            <Skeleton h={96} />
          </Stack>
        )
      ) : (
        <Content scope={scope} needsAction={query.data} />
      )}
    </Page>
  );
}

function Lists({ scope, needsAction: { documents, dismissed } }: { scope: Scope; needsAction: NeedsAction }) {
  return (
    <>
      {dismissed > 0 && (
        <ButtonLink
          to="/o/$tenantId/$environment/transactions"
          params={scope}
          search={{ action: 'dismissed' }}
          variant="default"
        >
          Dismissed: {formatCount(dismissed)}
        </ButtonLink>
      )}
      {documents > 0 && (
        <ButtonLink
          to="/o/$tenantId/$environment/transactions"
          params={scope}
          search={{ action: 'needed' }}
          variant="default"
        >
          Show as a list
        </ButtonLink>
      )}
    </>
  );
}

function Content({ scope, needsAction }: { scope: Scope; needsAction: NeedsAction }) {
  const mayDismiss = hasRole(useOrganisation(), 'member');
  if (needsAction.documents === 0) {
    return (
      <Paper withBorder>
        <EmptyState
          title="No document needs action"
          text="Failed documents appear here by cause until they are submitted again or dismissed."
        />
      </Paper>
    );
  }
  return (
    <>
      <Text component="output" size="sm">
        {formatNeeds(needsAction)}, by cause. A document leaves this list when it is submitted again or dismissed.
      </Text>
      <Causes
        scope={scope}
        causes={needsAction.causes}
        renderAction={mayDismiss ? (cause) => <CauseActions scope={scope} cause={cause} /> : undefined}
      />
    </>
  );
}

function CauseActions({ scope, cause }: { scope: Scope; cause: Cause }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const looks = { variant: 'default', size: 'xs', leftSection: <IconEdit size={16} aria-hidden /> } as const;
  const [only] = cause.examples;
  return (
    <Group gap="xs">
      {cause.documents === 1 && only !== undefined ? (
        <ButtonLink
          to="/o/$tenantId/$environment/transactions/$transactionId/resubmit"
          params={{ ...scope, transactionId: only.transactionId }}
          {...looks}
        >
          Correct
        </ButtonLink>
      ) : (
        <Button {...looks} onClick={open}>
          Correct all
        </Button>
      )}
      <DismissCause scope={scope} cause={cause} />
      {isOpen && <BulkDialog scope={scope} kind="correct" filters={{ cause: cause.cause }} onClose={close} />}
    </Group>
  );
}

function DismissCause({ scope, cause: { cause, message, documents } }: { scope: Scope; cause: Cause }) {
  const readIds = () => readLatestIds(scope, { cause });
  return <DismissButton scope={scope} title={`Dismiss: ${message}`} count={documents} readIds={readIds} />;
}
