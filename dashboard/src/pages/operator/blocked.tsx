import { Text } from '@mantine/core';
import { Instant } from '../../parts/instant';

export const REASONS: Record<string, string> = {
  not_appointed: 'The organisation has not appointed this service; it does so in the authority’s portal',
  supplier_refused: 'The authority refuses the supplier: its TIN is not the one of the login, or it may not submit',
  authority_unavailable: 'The authority does not respond',
  client_refused: 'The authority refuses our client id or secret: correct the settings and restart',
  call_budget: 'The authority has asked for a pause (429)',
  signing_certificate_expired: 'The signing certificate has expired: set a new one and restart',
  signing_failed: 'Documents cannot be signed: the dispatcher’s log says why',
  environment_not_configured: 'No dispatcher has the settings of this environment',
};

export function Blocked({ until, reason }: { until: string | null; reason: string | null }) {
  if (until === null) return '–';
  return (
    <>
      <Text size="sm" miw={200}>
        {REASONS[reason ?? ''] ?? reason}
      </Text>
      <Text size="xs" c="dimmed">
        until <Instant at={until} />
      </Text>
    </>
  );
}
