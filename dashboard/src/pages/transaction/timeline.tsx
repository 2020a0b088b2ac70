import { Stack, Text, Timeline as Steps } from '@mantine/core';
import { formatActor } from '../../parts/actor';
import { Instant } from '../../parts/instant';
import { Panel } from '../../parts/panel';
import type { Transaction } from './use-transaction';

export function Timeline({ steps }: { steps: Transaction['timeline'] }) {
  return (
    <Panel title="History">
      <Steps active={steps.length} bulletSize={14} lineWidth={2}>
        {steps.map(({ at, text, status, by }) => (
          <Steps.Item key={`${at} ${text}`} title={text}>
            <Stack gap={0}>
              <Text size="xs" c="dimmed">
                <Instant at={at} hasSeconds />
                {status !== null && ` · ${status}`}
              </Text>
              {by !== null && (
                <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                  By {formatActor(by)}
                </Text>
              )}
            </Stack>
          </Steps.Item>
        ))}
      </Steps>
    </Panel>
  );
}
