import { Text } from '@mantine/core';
import { Instant } from '../../parts/instant';

export const REASONS: Record<string, string> = {
  not_appointed: 'The organisation has not appointed us in the authority’s portal',
  supplier_refused:
    'The authority refuses the supplier: its TIN differs from that of the login, or it may not submit documents',
  authority_unavailable: 'The authority does not respond',
  client_refused: 'The authority refuses our client id or secret: correct the settings and restart',
  call_budget: 'The authority has asked for a pause (429)',
  signing_certificate_expired: 'The signing certificate has expired: set a new one and restart',
  signing_failed: 'Documents cannot be signed: see the dispatcher’s log for the reason',
  environment_not_configured: 'No dispatcher is configured for this environment',
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
