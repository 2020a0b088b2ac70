import { Flex, Group, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Scope } from '../../api/session';
import type { components } from '../../api/schema';
import { Finding } from '../finding';
import { formatCount } from '../format';
import { TextLink } from '../links';

export type NeedsAction = components['schemas']['NeedsActionDto'];
export type Cause = components['schemas']['CauseDto'];

interface CausesProps {
  scope: Scope;
  causes: readonly Cause[];
  /** Renders the actions for all documents of a cause. */
  renderAction?: (cause: Cause) => ReactNode;
}

export function Causes({ scope, causes, renderAction }: CausesProps) {
  return (
    <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
      {causes.map((cause) => (
        <Paper component="li" withBorder p="sm" key={cause.cause} style={{ overflowWrap: 'anywhere' }}>
          <Stack gap={6}>
            <Flex direction={{ base: 'column', xs: 'row' }} justify="space-between" gap={{ base: 4, xs: 'md' }}>
              <Text size="sm" component="div">
                <Finding message={cause.message} hint={cause.hint} />
              </Text>
              <Text size="sm" component="div" style={{ whiteSpace: 'nowrap' }}>
                <TextLink
                  to="/o/$tenantId/$environment/transactions"
                  params={scope}
                  search={{ action: 'needed', cause: cause.cause }}
                >
                  {formatDocuments(cause.documents)}
                </TextLink>
              </Text>
            </Flex>
            <Text size="xs" c="dimmed">
              {[cause.field, cause.sentValue && `sent: ${cause.sentValue}`, cause.authorityCode]
                .filter(Boolean)
                .join(' · ')}
            </Text>
            <Examples scope={scope} cause={cause} />
            {renderAction?.(cause)}
          </Stack>
        </Paper>
      ))}
    </Stack>
  );
}

function Examples({ scope, cause: { documents, examples } }: { scope: Scope; cause: Cause }) {
  const more = documents - examples.length;
  return (
    <Group gap="xs" fz="sm">
      {examples.map(({ transactionId, referenceId }) => (
        <TextLink
          key={transactionId}
          to="/o/$tenantId/$environment/transactions/$transactionId"
          params={{ ...scope, transactionId }}
        >
          {referenceId}
        </TextLink>
      ))}
      {more > 0 && <span>and {formatCount(more)} more</span>}
    </Group>
  );
}

export function formatDocuments(count: number): string {
  return count === 1 ? '1 document' : `${formatCount(count)} documents`;
}

export function formatNeeds({ documents, countedMax }: NeedsAction): string {
  if (documents === 1) return '1 document needs action';
  return `${formatCount(documents)}${documents === countedMax ? ' or more' : ''} documents need action`;
}
