import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unwrap, client } from '../api/client';
import type { components } from '../api/schema';
import type { Environment } from '../api/session';
import { formatEnvironment } from '../parts/format';
import { Instant } from '../parts/instant';
import { TextLink } from '../parts/links';
import { Notice } from '../parts/notice';

type Outage = components['schemas']['OutageDto'];

const REFRESH_MS = 15_000;

interface Meaning {
  readonly title: string;
  /** End of the sentence "documents are sent …". */
  readonly until: string;
  readonly todo: string;
  readonly todoOfOperators: string;
}

const NOTHING_TO_DO = 'No document is lost, and you do not need to do anything. Do not send documents a second time.';

const MEANINGS: Record<Outage['code'], Meaning> = {
  authority_unavailable: {
    title: 'The tax authority does not respond',
    until: 'as soon as it responds again',
    todo: NOTHING_TO_DO,
    todoOfOperators:
      'No document is lost, and the outage ends by itself: one call every ten seconds tests the authority. If the authority reports no outage, check the network.',
  },
  client_refused: {
    title: 'The tax authority refuses our login',
    until: 'once our operators have corrected it',
    todo: NOTHING_TO_DO,
    todoOfOperators:
      'No document is lost. Correct the client id or secret in the settings and restart API and dispatcher. Documents are then sent within seconds.',
  },
  call_budget: {
    title: 'The tax authority has asked us for a pause',
    until: 'when the pause is over',
    todo: NOTHING_TO_DO,
    todoOfOperators:
      'No document is lost, and the pause ends by itself. Check whether another program uses our client id.',
  },
  not_running: {
    title: 'Our connection to the tax authority is stopped',
    until: 'once our operators have started it again',
    todo: NOTHING_TO_DO,
    todoOfOperators: 'No document is lost. No dispatcher is running. Start one, and check the log of the last one.',
  },
};

const PARTS: readonly (readonly [part: Outage['stops'][number], text: string])[] = [
  ['send', 'documents are sent'],
  ['outcome', 'outcomes arrive'],
  ['cancel', 'cancellations are sent'],
];

const list = new Intl.ListFormat('en', { type: 'conjunction' });

/** Describes what the outage stops and when that ends. */
function describeStop({ code, stops }: Outage): string {
  const parts = PARTS.filter(([part]) => stops.includes(part)).map(([, text]) => text);
  const text = `${list.format(parts)} ${MEANINGS[code].until}.`;
  return `Submitted documents are accepted and kept. ${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function Banner({ outage, environment, isForOperators = false }: BannerProps) {
  const { since, until } = outage;
  const meaning = MEANINGS[outage.code];
  const where = environment === null ? 'sandbox and production' : formatEnvironment(environment).toLowerCase();
  return (
    <Notice kind="warning" title={`${meaning.title} (${where})`}>
      <Text size="sm">
        Since <Instant at={since} hasZone />
        {until !== null && (
          <>
            , until <Instant at={until} hasZone />
          </>
        )}
        . {describeStop(outage)} {isForOperators ? meaning.todoOfOperators : meaning.todo}{' '}
        {isForOperators && <TextLink to="/operator/authority">See the calls</TextLink>}
      </Text>
    </Notice>
  );
}

interface BannerProps {
  outage: Outage;
  environment: string | null;
  isForOperators?: boolean;
}

/** Shown while an outage that affects all organisations stops documents. */
export function OutageBanner({ tenantId, environment }: { tenantId: string; environment: Environment }) {
  const { data } = useQuery({
    queryKey: ['outage', tenantId, environment],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/{environment}/outage', {
          params: { path: { tenantId, environment } },
        }),
      ),
    refetchInterval: REFRESH_MS,
  });
  if (data === undefined || data.outage === null) return null;
  return <Banner outage={data.outage} environment={environment} />;
}

export function OperatorOutageBanners() {
  const { data } = useQuery({
    queryKey: ['operator', 'outages'],
    queryFn: () => unwrap(client.GET('/api/dashboard/operator/outages')),
    refetchInterval: REFRESH_MS,
  });
  return data?.outages.map((outage) => (
    <Banner
      key={`${outage.environment} ${outage.code}`}
      outage={outage}
      environment={outage.environment}
      isForOperators
    />
  ));
}
